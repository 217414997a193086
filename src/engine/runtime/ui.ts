import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import type { Definition } from '../extension/extension.js';
import { lazyFunction } from './lazy-function.js';
import type { ResourceSpec, ToolSpec, ToolUi, ToolVisibility } from './specs.js';

/** URI scheme of UI resources. @see MCP Apps 2026-01-26, "UI Resource Format" */
const uiScheme = 'ui://';

/** The key of `_meta` that hosts read, and the key that older hosts read. */
const metaKey = 'ui';
const flatMetaKey = 'ui/resourceUri';

const allCallers: readonly ToolVisibility[] = ['model', 'app'];

/** Reads the `ui` of a tool, or of a server's entry that changes a tool. `from` and `path` give its location. */
export function readUi(ui: unknown, from: Definition, path: DocumentPath): ToolUi | null | undefined {
  if (ui === null) return null;
  if (typeof ui === 'string') {
    return { named: { reference: ui, from, path }, app: undefined, visibility: allCallers, when: undefined };
  }
  if (!isRecord(ui)) return undefined;
  const { app, visibility, when } = ui;
  return {
    named: typeof app === 'string' ? { reference: app, from, path: [...path, 'app'] } : undefined,
    app: undefined,
    visibility: readVisibility(visibility),
    when: when === undefined ? undefined : lazyFunction(when, from.extension),
  };
}

function readVisibility(value: unknown): readonly ToolVisibility[] {
  if (!Array.isArray(value)) return allCallers;
  return allCallers.filter((one) => value.includes(one));
}

/**
 * A tool without UI keys in its list entry. Handwritten `_meta` about UI is used only if the definition has no `ui`,
 * and is sent only to clients that show UI.
 */
export function withUiApart(tool: ToolSpec): ToolSpec {
  const { _meta: meta, ...wire } = tool.wire;
  if (!isRecord(meta)) return tool.ui === null ? { ...tool, ui: undefined } : tool;
  const _meta = withoutUi(meta);
  const ui = tool.ui === undefined ? declaredUi(meta) : (tool.ui ?? undefined);
  return { ...tool, ui, wire: { ...wire, ...(Object.keys(_meta).length > 0 && { _meta }) } };
}

/** `_meta` for clients that show no UI. */
export function withoutUi(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { [metaKey]: _, [flatMetaKey]: __, ...rest } = meta;
  return rest;
}

/** A tool with the UI keys of its `_meta` apart, unchanged except for the URI of the app. */
export function withForeignUi(tool: ToolSpec, uriOf: (uri: string) => string | undefined): ToolSpec {
  const { _meta: meta, ...wire } = tool.wire;
  if (!isRecord(meta)) return tool;
  const _meta = withoutUi(meta);
  const { ui } = meta;
  const written = replaceAppUri(meta, uriOf);
  return {
    ...tool,
    ui:
      Object.keys(written).length === 0
        ? undefined
        : {
            named: undefined,
            app: undefined,
            visibility: readVisibility(isRecord(ui) ? ui.visibility : undefined),
            when: undefined,
            written,
          },
    wire: { ...wire, ...(Object.keys(_meta).length > 0 && { _meta }) },
  };
}

/** The UI keys of `_meta` with another URI of the app, or without it if `uriOf` returns undefined. */
export function replaceAppUri(
  { [metaKey]: ui, [flatMetaKey]: flat }: Readonly<Record<string, unknown>>,
  uriOf: (uri: string) => string | undefined,
): Readonly<Record<string, unknown>> {
  const replaced = (uri: unknown) => (typeof uri === 'string' ? uriOf(uri) : uri);
  const nested = isRecord(ui) ? replaceKey(ui, 'resourceUri', replaced) : ui;
  const isLeft = nested !== undefined && (nested === ui || Object.keys(nested as object).length > 0);
  const flatUri = replaced(flat);
  return {
    ...(isLeft && { [metaKey]: nested }),
    ...(flatUri !== undefined && { [flatMetaKey]: flatUri }),
  };
}

function replaceKey(
  value: Readonly<Record<string, unknown>>,
  key: string,
  replaced: (old: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  if (value[key] === undefined) return value;
  const { [key]: old, ...others } = value;
  const next = replaced(old);
  return next === undefined ? others : { ...others, [key]: next };
}

/** URI of the app in the `_meta` of a tool. */
export function appUriOf(meta: unknown): string | undefined {
  if (!isRecord(meta)) return undefined;
  const { [metaKey]: ui, [flatMetaKey]: flat } = meta;
  const uri = (isRecord(ui) ? ui.resourceUri : undefined) ?? flat;
  return typeof uri === 'string' ? uri : undefined;
}

/** A host may read only one of the two keys, so both are sent. */
function declaredUi({
  [metaKey]: ui,
  [flatMetaKey]: flat,
}: Readonly<Record<string, unknown>>): ToolUi | undefined {
  const { resourceUri = flat, visibility } = isRecord(ui) ? ui : {};
  if (!isRecord(ui) && typeof flat !== 'string') return undefined;
  const isNamed = typeof resourceUri === 'string';
  const nested = { ...(isRecord(ui) && ui), ...(isNamed && { resourceUri }) };
  return {
    named: undefined,
    app: undefined,
    visibility: readVisibility(visibility),
    when: undefined,
    written: { [metaKey]: nested, ...(isNamed && { [flatMetaKey]: resourceUri }) },
  };
}

/**
 * `_meta` about the UI of a tool, for clients that show UI. Without the app, it contains only a restricted visibility.
 */
export function uiMeta(
  { app, visibility, written }: ToolUi,
  { withApp }: { readonly withApp: boolean },
): Readonly<Record<string, unknown>> | undefined {
  if (written) return written;
  if (app && withApp) return { [metaKey]: { resourceUri: app.uri, visibility }, [flatMetaKey]: app.uri };
  return visibility.length === allCallers.length ? undefined : { [metaKey]: { visibility } };
}

/** True if clients that show UI may see another list entry than other clients. */
export function hasUi({ ui }: Pick<ToolSpec, 'ui'>): boolean {
  return !!ui && uiMeta(ui, { withApp: true }) !== undefined;
}

/** True if only apps may call a tool, and not the model. */
export function isAppOnly({ ui }: Pick<ToolSpec, 'ui'>): boolean {
  return !!ui && !ui.visibility.includes('model');
}

/** True if a resource or template is UI that its author serves by hand. */
export function isUiResource({
  uri,
  uriTemplate,
}: Partial<Pick<ResourceSpec, 'uri' | 'uriTemplate'>>): boolean {
  return (uri ?? uriTemplate ?? '').startsWith(uiScheme);
}
