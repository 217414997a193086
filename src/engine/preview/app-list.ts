import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import { appMimeType } from '../runtime/app.js';
import type { ListedApp, ListedResource, ListedTool } from './page-messages.js';

/** The client capability for showing apps. */
export const appCapability: { readonly extensions: Record<string, { mimeTypes: string[] }> } = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [appMimeType] } },
};

/** The apps of a server: first the apps that tools are bound to, then apps that are only listed. */
export function listApps(
  tools: readonly ListedTool[],
  resources: readonly ListedResource[],
): readonly ListedApp[] {
  const listed = resources.filter(({ uri, mimeType }) => mimeType === appMimeType && isAppUri(uri));
  const bound = tools.flatMap((tool) => toolAppUri(tool) ?? []);
  const uris = new Set([...bound, ...listed.flatMap(({ uri }) => uri ?? [])]);
  return [...uris].map((uri) => {
    const resource = listed.find((one) => one.uri === uri);
    const name = appNameFromUri(uri);
    return {
      uri,
      name,
      title: resource?.title ?? resource?.name ?? name,
      tools: tools.filter((tool) => toolAppUri(tool) === uri).map((tool) => tool.name),
    };
  });
}

/**
 * The app that shows a tool. The flat key is an older form that hosts read before the nested one was
 * standard.
 */
export function toolAppUri({ _meta: meta }: ListedTool): string | undefined {
  const ui = isRecord(meta?.ui) ? meta.ui : undefined;
  const uri = ui?.resourceUri ?? meta?.['ui/resourceUri'];
  return isAppUri(uri) ? uri : undefined;
}

/** True if an app may call a tool: the tool declares no visibility, or one that includes apps. */
export function mayAppsCall({ _meta: meta }: ListedTool): boolean {
  const visibility = isRecord(meta?.ui) ? meta.ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes('app');
}

function isAppUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith('ui://');
}

function appNameFromUri(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}

/** An app, and the tool to show a call of. */
export interface AppChoice {
  readonly app: string;
  readonly tool?: string;
}

/**
 * Finds the app for the app name and tool name of a command line. Default: the first app.
 * @throws AgentToolsError `not-found`
 */
export function chooseApp(
  { apps, tools }: { readonly apps: readonly ListedApp[]; readonly tools: readonly ListedTool[] },
  { app: wanted, tool: named }: { readonly app?: string | undefined; readonly tool?: string | undefined },
): AppChoice {
  const tool = named === undefined ? undefined : tools.find(({ name }) => name === named);
  if (named !== undefined && !tool) {
    const names = tools.map(({ name }) => name);
    throw new AgentToolsError(
      'not-found',
      `There is no tool "${named}". ${suggestKnown(named, names, 'tools')}`,
    );
  }
  if (apps.length === 0) {
    const wayOut =
      'Declare one in the manifest\'s "apps" and bind it to a tool by the key "ui". If one is declared, run agenttools validate.';
    throw new AgentToolsError('not-found', `The server has no apps to show. ${wayOut}`);
  }
  const bound = tool && toolAppUri(tool);
  const app = wanted === undefined ? bound : apps.find((one) => matchesAppName(one, wanted))?.uri;
  if (wanted !== undefined && app === undefined) {
    const names = apps.map(({ name }) => name);
    throw new AgentToolsError(
      'not-found',
      `There is no app "${wanted}". ${suggestKnown(wanted, names, 'apps')}`,
    );
  }
  if (tool && app === undefined) {
    const names = apps.map(({ name }) => name).join(', ');
    throw new AgentToolsError('not-found', `The tool "${tool.name}" has no app. Name one of: ${names}.`);
  }
  const chosen = apps.find(({ uri }) => uri === app) ?? apps[0]!;
  const shown = tool?.name ?? chosen.tools[0];
  return { app: chosen.uri, ...(shown !== undefined && { tool: shown }) };
}

/** An app is named by its URI, its qualified name, or the last segment of both. */
function matchesAppName({ uri, name }: ListedApp, wanted: string): boolean {
  return wanted === uri || wanted === name || uri === `ui://${wanted.replace(/^@/, '')}`;
}

function suggestKnown(wanted: string, names: readonly string[], kind: string): string {
  const meant = didYouMean(wanted, names);
  return meant ? `Did you mean "${meant}"?` : `Its ${kind}: ${names.join(', ') || 'none'}.`;
}
