import { AgentToolsError } from '../base/errors.js';
import { toOneLine } from '../base/to-one-line.js';
import type { ScriptedPackage } from '../existing-servers/scripted-packages.js';
import type { InstallUser } from './ask-inputs.js';

/** Names the install scripts of a package, and the option that runs them. */
export function scriptNote({ name, version, scripts }: ScriptedPackage): string {
  return `${name}@${version} has install scripts that were not run: ${toOneLine(scripts.join('; '))}. Run them with: --allow-scripts ${name}`;
}

/** Adds the scripts that were not run to the failure of a test start, and the parts that are missing without them. */
export function explainUnrunScripts(error: unknown, unrun: readonly ScriptedPackage[]): unknown {
  if (!(error instanceof AgentToolsError) || unrun.length === 0) return error;
  const lacks = findLacks(error.message, unrun);
  const reasons = lacks.length > 0 ? lacks : ['The start may have failed for lack of install scripts.'];
  const message = [error.message, ...reasons, ...unrun.map((one) => scriptNote(one))].join('\n');
  return new AgentToolsError(error.code, message, { cause: error });
}

/** Messages of programs that miss a file, with its path or name. */
const missingFile: readonly RegExp[] = [
  /Cannot find (?:module|package) ['"]([^'"\n]+)['"]/g,
  /ENOENT[^\n]*? ['"]([^'"\n]+)['"]/g,
  /spawn (\S+) ENOENT/g,
  /(?:cannot open shared object file|no such file or directory)[^\n]*?: ([^\s:]+)/gi,
  /Executable doesn't exist at (\S+)/g,
];

/** Messages of loaders of native addons. */
const missingAddon =
  /Could not locate the bindings file|No native build was found|Cannot find native binding/i;

/** Missing parts that a package with scripts would have made, in sentences. */
function findLacks(text: string, unrun: readonly ScriptedPackage[]): readonly string[] {
  const plain = text.replaceAll('\\', '/');
  const files = missingFile.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, file = '']) => file));
  const lacks = [...new Set(files)].flatMap((file) => {
    const owner = unrun.find(({ name }) => file === name || file.includes(`/node_modules/${name}/`));
    return owner ? [`For lack of the scripts of ${owner.name}, this is missing: ${file}`] : [];
  });
  const addon = missingAddon.exec(text);
  return addon ? [...lacks, `For lack of install scripts, a native addon is missing: ${addon[0]}.`] : lacks;
}

/** Asks for consent to the scripts of each package. Returns the names of packages; empty without a terminal. */
export async function confirmScripts(
  scripted: readonly ScriptedPackage[],
  user: InstallUser | undefined,
): Promise<readonly string[]> {
  const confirmed: string[] = [];
  for (const { name, version, scripts, isAllowed } of scripted) {
    if (!user || isAllowed || confirmed.includes(name)) continue;
    const question = `${name}@${version} has install scripts: ${toOneLine(scripts.join('; '))}. Run them?`;
    if (await user.confirm(question)) confirmed.push(name);
  }
  return confirmed;
}
