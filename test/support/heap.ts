import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect: () => void = vm.runInNewContext('gc');

/** Mebibytes that are in use once everything is gone that nobody holds. */
export async function heapInUse(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collect();
    // What finalizers let go of is gone after a turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}
