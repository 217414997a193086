import { mayObtain, type Obtain } from '../../engine/extension/obtain.js';
import type { CheckDrift } from '../../engine/server/frozen.js';
import { startServer } from '../../engine/server/start.js';
import type { Host } from '../../host.js';
import type { ExitCode } from '../exit-code.js';
import type { StartInput } from '../start-arguments.js';

/** Serves a server over stdio until its client has gone. */
export async function startCommand(
  { autoInstall, frozen, ...input }: StartInput,
  host: Host,
): Promise<ExitCode> {
  const obtains = autoInstall && !frozen && mayObtain(host.env);
  return await startServer({
    ...input,
    host,
    ...(obtains && { obtain: obtaining(host) }),
    ...(frozen && { checkDrift: checking(host) }),
  });
}

/** Most starts obtain nothing and check nothing, so what it takes is loaded when it is needed. */
async function loadPackages(host: Host) {
  const [{ obtainWith }, { driftOf }, { packagesSetting }] = await Promise.all([
    import('../../engine/packages/obtain.js'),
    import('../../engine/packages/drift.js'),
    import('../packages-setting.js'),
  ]);
  return { obtainWith, driftOf, setting: packagesSetting(host, () => {}) };
}

function obtaining(host: Host): Obtain {
  return async (names, options) => {
    const { obtainWith, setting } = await loadPackages(host);
    return await obtainWith(setting)(names, options);
  };
}

function checking(host: Host): CheckDrift {
  return async (extensions) => {
    const { driftOf, setting } = await loadPackages(host);
    return await driftOf(extensions, setting);
  };
}
