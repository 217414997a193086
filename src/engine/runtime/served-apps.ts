import type { Workspace } from '../extension/workspace.js';
import { readAppDefinition } from './app.js';
import { locate, oncePerDefinition } from './read-definition.js';
import { listSkipped, type SkippedItem } from './skipped-items.js';
import type { AppSpec, NamedApp, ResourceSpec, ToolSpec } from './specs.js';
import { withUiApart } from './ui.js';

interface AppBindContext {
  readonly workspace: Workspace;
  readonly leftOut: SkippedItem[];
}

/**
 * Adds their apps to tools. A tool with an unavailable app is served without the app, and `leftOut` receives the app.
 */
export async function bindApps(
  tools: readonly ToolSpec[],
  { workspace, leftOut }: AppBindContext,
): Promise<readonly ToolSpec[]> {
  const bound = await Promise.all(
    tools.map(withUiApart).map(async (tool): Promise<{ tool: ToolSpec; lost?: SkippedItem }> => {
      if (!tool.ui?.named) return { tool };
      const found = await bindApp(tool, tool.ui.named, workspace);
      return 'app' in found ? { tool: { ...tool, ui: { ...tool.ui, app: found.app } } } : { tool, ...found };
    }),
  );
  // If several tools name the same unavailable app, only the first tool is reported, in list order.
  for (const { lost } of bound) {
    const isTold = leftOut.some(({ kind, message }) => kind === 'apps' && message === lost?.message);
    if (lost && !isTold) leftOut.push(lost);
  }
  return bound.map(({ tool }) => tool);
}

async function bindApp(
  { name: tool }: ToolSpec,
  { reference, from, path }: NamedApp,
  workspace: Workspace,
): Promise<{ readonly app: AppSpec } | { readonly lost: SkippedItem }> {
  let owner = from.extension;
  try {
    const found = await workspace.locateItem('apps', reference, owner, locate(from, path));
    owner = found.extension;
    const definition = await owner.definition('apps', found.item);
    return { app: await oncePerDefinition(definition, 'item', () => readAppDefinition(definition)) };
  } catch (error) {
    return { lost: listSkipped(error, { kind: 'apps', item: reference, tool, extension: owner }) };
  }
}

/** Serves a tool's app, unless another package's copy of the app already has its URI. */
export function claimAddress(tool: ToolSpec, apps: Map<string, AppSpec>, leftOut: SkippedItem[]): ToolSpec {
  const app = tool.ui?.app;
  if (!app) return tool;
  const first = apps.get(app.uri) ?? app;
  apps.set(app.uri, first);
  if (first.definition === app.definition) return tool;
  leftOut.push(duplicateUri(app, tool.name));
  return { ...tool, ui: { ...tool.ui!, app: undefined } };
}

function duplicateUri({ uri, item, definition }: AppSpec, tool?: string): SkippedItem {
  const { extension, file } = definition;
  const message = `App "${uri}" is already served by another item of this server.`;
  const location = { file: file.file };
  return { kind: 'apps', item, message, code: 'invalid-app', location, extension, ...(tool && { tool }) };
}

/** Serves the apps that the server lists itself. Overrides of the server apply to an app that a tool has too. */
export function addUnbound(
  listed: readonly AppSpec[],
  {
    apps,
    resources,
    leftOut,
  }: { apps: Map<string, AppSpec>; resources: readonly ResourceSpec[]; leftOut: SkippedItem[] },
): void {
  for (const app of listed) {
    const isTaken = resources.some(({ uri }) => uri === app.uri);
    const first = apps.get(app.uri);
    if (isTaken || (first && first.definition !== app.definition)) leftOut.push(duplicateUri(app));
    else apps.set(app.uri, app);
  }
}
