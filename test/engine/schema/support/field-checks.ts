import { type CheckResult, compileSchema, fields } from '../../../../src/engine/schema/index.js';

/** Checks a value by fields that are an input. */
export async function check(spec: unknown, value: unknown): Promise<CheckResult> {
  return (await compileSchema(fields(spec as never), { side: 'input' })).check(value);
}

/** What a handler gets of a value that is in order. */
export async function delivered(spec: unknown, value: unknown): Promise<unknown> {
  const result = await check(spec, value);
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.issues));
}
