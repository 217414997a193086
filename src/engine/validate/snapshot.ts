import type { DocumentPath } from '../base/files/document-path.js';
import type { Location } from '../extension/diagnostics.js';
import type { Extension } from '../extension/extension.js';
import { kinds } from '../extension/item-kinds.js';
import type { Manifest } from '../extension/manifest.js';
import type { Workspace } from '../extension/workspace.js';
import { locate } from '../runtime/read-definition.js';
import {
  type CompatibilityOptions,
  type CompatibilitySnapshot,
  gatherCompatibility,
} from './facts/compatibility.js';
import { type DerivationSnapshot, gatherDerivation } from './facts/derivation.js';
import type { FileSnapshot } from './facts/file-snapshot.js';
import { gatherFiles, gatherRoot, gatherSkillsRoot, type RootSnapshot } from './facts/files.js';
import { gatherInlineItem, gatherItem, type ItemSnapshot } from './facts/items.js';
import type { ModuleReader, ModuleSnapshot } from './facts/modules.js';
import { gatherPackaging, listShipped, type PackagingSnapshot } from './facts/packaging.js';
import { findUnresolvedApp, type UnresolvedApp } from './facts/references.js';
import { gatherSandboxes, type SandboxSnapshot } from './facts/sandboxes.js';
import { gatherServers, type ServerSnapshot } from './facts/servers.js';
import { gatherSkills, type SkillSnapshot } from './facts/skills.js';
import { gatherTexts, type TextSnapshot } from './facts/texts.js';
import { gatherToolkits, type ToolkitSnapshot } from './facts/toolkits.js';

/**
 * The state of an extension that rules check. Taking a snapshot reads files and runs code; rules do neither.
 */
export interface Snapshot {
  /** All diagnostic codes. */
  readonly codes: readonly string[];
  /** The only fault to report if there is no readable manifest. */
  readonly unreadable?: UnreadableManifest;
  readonly manifest?: Manifest;
  readonly root?: RootSnapshot;
  readonly skillsRoot?: RootSnapshot | undefined;
  readonly items: readonly ItemSnapshot[];
  /** The readable toolkits; the others are items with an error. */
  readonly toolkits: readonly ToolkitSnapshot[];
  readonly files: FileSnapshot;
  readonly servers: readonly ServerSnapshot[];
  /** Sandboxes that servers declare. */
  readonly sandboxes: readonly SandboxSnapshot[];
  readonly skills: readonly SkillSnapshot[];
  readonly lostApps: readonly UnresolvedToolApp[];
  /** Faults of texts that models read. */
  readonly texts: readonly TextSnapshot[];
  readonly compatibility: CompatibilitySnapshot;
  /** Definition modules and the modules that definitions name. */
  readonly modules: readonly ModuleSnapshot[];
  readonly packaging?: PackagingSnapshot;
  /** The derived file, compared with its sources. Absent without a readable manifest. */
  readonly derivation?: DerivationSnapshot;
}

/** A package without a readable manifest. */
export interface UnreadableManifest {
  /** The diagnostic code. */
  readonly code: string;
  readonly message: string;
  readonly location: Location;
}

/** The app of a tool, if it does not resolve. */
interface UnresolvedToolApp extends UnresolvedApp {
  readonly tool: ItemSnapshot;
}

/** The snapshot of a package without a readable manifest. */
export function snapshotWithoutManifest(codes: readonly string[], unreadable: UnreadableManifest): Snapshot {
  const files = { duplicates: [], undeclared: [], shadowed: [] };
  return {
    codes,
    unreadable,
    items: [],
    toolkits: [],
    files,
    servers: [],
    sandboxes: [],
    skills: [],
    lostApps: [],
    texts: [],
    compatibility: { faults: [] },
    modules: [],
  };
}

interface SnapshotInput extends CompatibilityOptions {
  readonly codes: readonly string[];
  readonly extension: Extension;
  readonly workspace: Workspace;
  readonly modules: ModuleReader;
}

/** Gathers everything about an extension that rules check. */
export async function takeSnapshot({
  codes,
  extension,
  workspace,
  modules,
  clients,
  budget,
}: SnapshotInput): Promise<Snapshot> {
  const { manifest } = extension;
  const shipped = listShipped(extension);
  shipped.catch(() => {});
  const { toolkits, lost } = await gatherToolkits(extension);
  const lostNames = new Set(lost.map(({ name }) => name));
  const declarations = (await Promise.all(kinds.map((kind) => extension.declared(kind)))).flat();
  const gathered = await Promise.all(
    declarations
      // An unreadable toolkit is reported once, not for each of its tools.
      .filter(({ toolkit }) => toolkit === undefined || !lostNames.has(toolkit))
      .map((declaration) => gatherItem(declaration, extension, modules)),
  );
  const declared = markRepeats([...gathered, ...lost]);
  const servers = await gatherServers({ extension, workspace, items: declared });
  const inline = servers.flatMap(({ entries }) => entries.flatMap(({ definition }) => definition ?? []));
  const items = [
    ...declared,
    ...(await Promise.all(inline.map((definition) => gatherInlineItem(definition, modules)))),
  ];
  const skills = await gatherSkills(extension);
  const files = await gatherFiles(extension, modules);
  const usedModules = await gatherModules(items, modules);
  return {
    codes,
    manifest,
    root: await gatherRoot(extension),
    skillsRoot: await gatherSkillsRoot(extension),
    items,
    toolkits,
    files: { ...files, undeclared: [...files.undeclared, ...undeclaredToolkitTools(toolkits)] },
    servers,
    skills,
    lostApps: await gatherUnresolvedApps(items, extension, workspace),
    compatibility: await gatherCompatibility({ items, servers }, { clients, budget }),
    texts: await gatherTexts({ extension, items, skills }),
    modules: usedModules,
    sandboxes: await gatherSandboxes({ extension, items, modules: usedModules, reader: modules }),
    packaging: await gatherPackaging({ shipped, extension, items, skills, modules }),
    ...(await gatherDerivation(extension, items)),
  };
}

/** Tools of toolkits that are missing from the toolkit's declaration. */
function undeclaredToolkitTools(toolkits: readonly ToolkitSnapshot[]): FileSnapshot['undeclared'] {
  return toolkits.flatMap(({ ref, undeclared: found }) =>
    found.map((one) => ({ kind: 'tools' as const, ...one, toolkit: ref!.name })),
  );
}

/** Marks repeated errors: an invalid combined file is one fault, however many items it defines. */
function markRepeats(items: readonly ItemSnapshot[]): readonly ItemSnapshot[] {
  const seen = new Set<string>();
  return items.map((item) => {
    const { error } = item;
    if (!error || error.code === 'missing-definition') return item;
    const key = JSON.stringify([error.code, error.location]);
    if (seen.has(key)) return { ...item, repeatsError: true };
    seen.add(key);
    return item;
  });
}

async function gatherUnresolvedApps(
  items: readonly ItemSnapshot[],
  extension: Extension,
  workspace: Workspace,
): Promise<UnresolvedToolApp[]> {
  const found = items.map(async (tool): Promise<UnresolvedToolApp | undefined> => {
    const { kind, definition } = tool;
    if (kind !== 'tools' || !definition) return undefined;
    const place = (path: DocumentPath) => locate(definition, path);
    const lost = await findUnresolvedApp(definition.value, place, { extension, workspace });
    return lost && { ...lost, tool };
  });
  return (await Promise.all(found)).filter((one) => one !== undefined);
}

async function gatherModules(
  items: readonly ItemSnapshot[],
  modules: ModuleReader,
): Promise<ModuleSnapshot[]> {
  const named = items.flatMap(({ source, error, callables }) => {
    const own = error?.code === 'path-outside-package' ? undefined : source?.file;
    return [own, ...callables.map(({ file }) => file)].filter((file) => file !== undefined);
  });
  const facts = await Promise.all([...new Set(named)].map((file) => modules.read(file)));
  return facts.filter((one) => one !== undefined);
}
