import { AgentToolsError } from '../base/errors.js';
import { pathFault } from '../base/files/path-containment.js';
import { isRecord, isString } from '../base/value-checks.js';
import { shortName } from '../extension/names.js';

/**
 * File of a program of a package: the named one, else the only one, else the one with the name of the package.
 * @throws AgentToolsError with the programs that it has
 */
export function programFile(
  packageJson: Readonly<Record<string, unknown>>,
  name: string,
  wanted: string | undefined,
): string {
  const programs = programsOf(packageJson, name);
  const names = Object.keys(programs);
  if (names.length === 0) {
    const message = `The npm package ${name} has no program ("bin"), so it is not an MCP server that can be started.`;
    throw new AgentToolsError('refused', message);
  }
  const meant = wanted ?? (names.length === 1 ? names[0]! : shortName(name));
  const file = Object.hasOwn(programs, meant) ? programs[meant]! : undefined;
  if (file !== undefined && !pathFault(file)) return file;
  const choices = names.map((one) => `npm:${name}#${one}`).join(', ');
  const what = wanted === undefined ? 'has several programs' : `has no program "${wanted}"`;
  throw new AgentToolsError('ambiguous', `The npm package ${name} ${what}. Choose one: ${choices}`);
}

/** Files of the programs of a package, by name. */
export function programsOf(
  { bin }: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, string>> {
  if (isString(bin)) return { [shortName(name)]: bin };
  const entries = Object.entries(isRecord(bin) ? bin : {});
  return Object.fromEntries(entries.filter((pair): pair is [string, string] => isString(pair[1])));
}
