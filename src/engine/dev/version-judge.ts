import path from 'node:path';
import { errorMessage } from '../base/thrown-value.js';
import { definitionLoading, type LoadCode } from '../extension/extension.js';
import { locateModule, ModuleReferenceError, parseModuleReference } from '../extension/modules.js';
import type { ServerSpec } from '../runtime/compose-server.js';
import { moduleReferences } from '../runtime/read-definition.js';
import { listedKinds } from '../runtime/served-kind.js';
import type { ToolSpec } from '../runtime/specs.js';

/** The files of a package do not make a server that can replace the served one. */
class BrokenVersionError extends Error {
  override readonly name = 'BrokenVersionError';
}

/** An item that the current files do not provide. */
interface VersionFault {
  /** Kind and qualified name. */
  readonly key: string;
  readonly message: string;
}

/** Refuses compositions without an item that clients have, as long as the package declares it. */
export class VersionJudge {
  /** Keys of the items in the served version. Undefined before the first one. */
  #served: ReadonlySet<string> | undefined;

  /**
   * True if the next composition has to import all modules that definitions refer to. Data needs no code, so a change
   * of data alone starts no host.
   */
  importsModules = false;

  /** @throws BrokenVersionError */
  readonly judge = async (spec: ServerSpec, loadCode: LoadCode): Promise<void> => {
    const faults = [
      ...skippedItems(spec),
      ...(this.importsModules ? await moduleFaults(spec, loadCode) : []),
    ];
    const broken = faults.filter(({ key }) => this.#served?.has(key));
    if (broken.length > 0) throw new BrokenVersionError(broken.map(({ message }) => message).join('\n'));
    const lost = new Set(faults.map(({ key }) => key));
    this.#served = new Set(
      itemsOf(spec)
        .map(keyOf)
        .filter((key) => !lost.has(key)),
    );
  };
}

type JudgedItem = Pick<ToolSpec, 'item' | 'definition'>;

const keyOf = ({ item, definition }: JudgedItem) => `${definition.kind} ${item}`;

function itemsOf({ registry }: ServerSpec): readonly JudgedItem[] {
  return listedKinds.flatMap((kind): readonly JudgedItem[] => registry.all(kind));
}

function skippedItems({ leftOut }: ServerSpec): readonly VersionFault[] {
  const faults = leftOut.filter(
    ({ code, missingPackage }) => code !== definitionLoading && missingPackage === undefined,
  );
  return faults.map(({ kind, item, extension, location, message }) => ({
    key: `${kind} ${item.includes('/') ? item : extension.qualify(item)}`,
    message: `${location.file}: ${message}`,
  }));
}

async function moduleFaults(spec: ServerSpec, loadCode: LoadCode): Promise<readonly VersionFault[]> {
  const faults = itemsOf(spec).map(async (item) => {
    const { definition } = item;
    const { paths, manifest } = definition.extension;
    const checks = moduleReferences(definition).map(async ({ reference }) => {
      const file = await locateModule(paths, parseModuleReference(reference, paths));
      const relative = path.relative(manifest.directory, file);
      await loadCode(file, relative).catch((error: unknown) => {
        throw new ModuleReferenceError('failed', `${relative}: ${errorMessage(error)}`);
      });
    });
    const outcomes = await Promise.allSettled(checks);
    return outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [{ key: keyOf(item), message: errorMessage(outcome.reason) }] : [],
    );
  });
  return (await Promise.all(faults)).flat();
}
