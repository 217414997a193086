import type { DocumentPath } from '../base/files/document-path.js';
import { parseUrl } from '../base/parse-url.js';
import { isRecord, isString, type UnknownRecord } from '../base/value-checks.js';
import {
  type ClientChoice,
  type CompatibilityFault,
  judgeFinding,
  judgeTool,
} from '../compatibility/judge-findings.js';
import {
  checkTool as checkToolForm,
  checkServer as checkToolNames,
  type ListedTool,
} from '../compatibility/surface-checks.js';
import type { Severity } from '../extension/diagnostics.js';
import { isWireName } from '../extension/names.js';
import { readUriTemplate } from '../extension/uri-template.js';
import { checkWireSchema, schemaWarnings } from '../schema/index.js';
import { quotePlain } from '../text-checks/check-text.js';
import { checkItemTexts } from '../text-checks/item-texts.js';
import { type ServedList, type ServedSurface, servedLists } from './served-surface.js';

/** A fault of a served item or of the server. `place`: `tool/<name>`, or `server`. */
export interface ServedFault {
  readonly code: string;
  readonly message: string;
  readonly place: string;
  /** Default: the severity of its rule. */
  readonly severity?: Severity;
  /** Path in the item. */
  readonly path?: DocumentPath;
  readonly item?: { readonly kind: 'tool' | 'prompt' | 'resource' | 'server'; readonly name: string };
}

const kindOf = {
  'tools/list': 'tool',
  'prompts/list': 'prompt',
  'resources/list': 'resource',
  'resources/templates/list': 'resource',
} as const satisfies Record<ServedList, string>;

interface SurfaceAudience {
  /** Key of the server in configs of clients. */
  readonly key: string;
  readonly clients: ClientChoice;
}

/** Checks everything that a server has sent to clients of one era. */
export async function checkSurface(
  surface: ServedSurface,
  audience: SurfaceAudience,
): Promise<readonly ServedFault[]> {
  const faults: ServedFault[] = [...checkServer(surface), ...checkCompatibility(surface, audience)];
  for (const [method, { items }] of Object.entries(surface.lists) as [
    ServedList,
    { items: readonly unknown[] },
  ][]) {
    const names = new Set<string>();
    for (const [index, item] of items.entries()) {
      const key =
        method === 'resources/list' ? 'uri' : method === 'resources/templates/list' ? 'uriTemplate' : 'name';
      faults.push(...(await checkItem(item, { method, index, key, names, surface })));
    }
  }
  return faults;
}

/** True for a listed tool with a name. */
export function isListedTool(item: unknown): item is ListedTool {
  return isRecord(item) && isString(item.name) && item.name !== '';
}

function* checkCompatibility(
  { lists, instructions }: ServedSurface,
  { key, clients }: SurfaceAudience,
): Generator<ServedFault> {
  const tools = lists['tools/list'].items.filter(isListedTool);
  const names = tools.map(({ name }) => name);
  for (const tool of tools)
    for (const fault of judgeTool(checkToolForm(tool), clients)) yield ofTool(tool.name, fault);
  for (const finding of checkToolNames({ key, instructions, tools: names })) {
    const fault = judgeFinding(finding, clients);
    if (fault)
      yield finding.tool === undefined ? { ...fault, place: 'server' } : ofTool(names[finding.tool]!, fault);
  }
}

function ofTool(name: string, fault: CompatibilityFault): ServedFault {
  const message = `Tool "${name}": ${fault.message}`;
  return { ...fault, message, place: `tool/${name}`, item: { kind: 'tool', name } };
}

function* checkServer({
  serverInfo,
  capabilities,
  lists,
  wrongErrors,
  instructions,
}: ServedSurface): Generator<ServedFault> {
  const place = 'server';
  const { name, version } = isRecord(serverInfo) ? serverInfo : {};
  if (!isString(name) || name === '' || !isString(version))
    yield {
      code: 'boot-failed',
      place,
      path: ['serverInfo'],
      message: 'The handshake has no serverInfo with a name and a version.',
    };
  for (const [method, { capability }] of Object.entries(servedLists) as [
    ServedList,
    { capability: string },
  ][]) {
    const { items, fault, isEndless, isRefused } = lists[method];
    const isDeclared = capabilities[capability] !== undefined;
    // Servers without templates may refuse their list.
    const mayRefuse = method === 'resources/templates/list' && isRefused === true;
    if (isDeclared && fault !== undefined && !mayRefuse)
      yield {
        code: 'untruthful-capabilities',
        place,
        path: ['capabilities', capability],
        message: `The server declares "${capability}", but the answer to ${method} ${fault}.`,
      };
    if (!isDeclared && items.length > 0)
      yield {
        code: 'untruthful-capabilities',
        place,
        path: ['capabilities'],
        message: `${method} has items, but the server does not declare "${capability}", so clients do not ask for them.`,
      };
    if (isEndless)
      yield {
        code: 'endless-list',
        place,
        message: `The cursors of ${method} do not end: clients read pages forever.`,
      };
  }
  for (const message of wrongErrors) yield { code: 'wrong-error-code', place, message };
  for (const fault of textFaults({ serverInfo, instructions }, 'the server')) yield { ...fault, place };
}

interface ItemContext {
  readonly method: ServedList;
  readonly index: number;
  /** Key that identifies items of the list. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  /** Names of the items before. */
  readonly names: Set<string>;
  readonly surface: ServedSurface;
}

async function checkItem(item: unknown, context: ItemContext): Promise<readonly ServedFault[]> {
  const { method, index, key, names } = context;
  const kind = kindOf[method];
  const name = isRecord(item) ? item[key] : undefined;
  if (!isRecord(item) || !isString(name) || name === '')
    return [
      {
        code: kind === 'tool' ? 'invalid-tool' : kind === 'prompt' ? 'invalid-prompt' : 'invalid-resource',
        place: `${kind}/${index}`,
        message: `Entry ${index + 1} of ${method} has no "${key}".`,
      },
    ];
  const about = { place: `${kind}/${name}`, item: { kind, name } } as const;
  const found: Omit<ServedFault, 'place' | 'item'>[] = [];
  if (names.has(name)) found.push({ code: 'duplicate-wire-name', message: `${method} has "${name}" twice.` });
  names.add(name);
  const { description } = item;
  if (!isString(description) || description.trim() === '')
    found.push({
      code: 'missing-description',
      path: description === undefined ? [] : ['description'],
      message: `The ${kind} "${name}" has no description. Models choose by it: describe its purpose and when to use it.`,
    });
  if (kind === 'tool') found.push(...(await checkTool(item, name, context.surface)));
  if (kind === 'prompt') found.push(...checkPrompt(item, name));
  if (kind === 'resource') found.push(...checkAddress(name, key));
  found.push(...textFaults(item, `the ${kind} ${quotePlain(name)}`));
  return found.map((fault) => ({ ...fault, ...about }));
}

type SurfaceFault = Omit<ServedFault, 'place' | 'item'>;

function textFaults(part: unknown, label: string): readonly SurfaceFault[] {
  return [...checkItemTexts(part, { label })].map(({ code, severity, message, path }) => ({
    code,
    severity,
    message,
    path,
  }));
}

async function checkTool(
  tool: UnknownRecord,
  name: string,
  { lists }: ServedSurface,
): Promise<readonly SurfaceFault[]> {
  const faults: SurfaceFault[] = [];
  if (!isWireName(name))
    faults.push({
      code: 'invalid-wire-name',
      path: ['name'],
      message: `The tool "${name}" has a name that clients refuse. Expected 1 to 128 of A-Z a-z 0-9 _ . -`,
    });
  for (const side of ['input', 'output'] as const) {
    const key = `${side}Schema`;
    const schema = tool[key];
    if (schema === undefined && side === 'output') continue;
    const issues = await checkWireSchema(schema, side);
    for (const { path, message } of issues)
      faults.push({
        code: `invalid-${side}-schema`,
        path: [key, ...path],
        message: `Tool "${name}" has an unusable "${key}": ${message}`,
      });
    if (issues.length > 0) continue;
    for (const { path, message } of schemaWarnings(schema, { side, rawOnly: true }))
      faults.push({
        code: 'ineffective-schema',
        path: [key, ...path],
        message: `Tool "${name}": ${message}`,
      });
  }
  const { _meta: meta } = tool;
  const ui = isRecord(meta) && isRecord(meta.ui) ? meta.ui.resourceUri : undefined;
  const isListed = lists['resources/list'].items.some((one) => isRecord(one) && one.uri === ui);
  if (isString(ui) && !ui.startsWith('ui://'))
    faults.push({
      code: 'invalid-app',
      path: ['_meta', 'ui', 'resourceUri'],
      message: `Tool "${name}" names the app "${ui}". Expected a ui:// URI.`,
    });
  else if (isString(ui) && !isListed && lists['resources/list'].fault !== undefined)
    faults.push({
      code: 'unknown-app',
      path: ['_meta', 'ui', 'resourceUri'],
      message: `Tool "${name}" names the app "${ui}", but the server lists no resources.`,
    });
  return faults;
}

function* checkPrompt({ arguments: args }: UnknownRecord, name: string): Generator<SurfaceFault> {
  if (args === undefined) return;
  const names = Array.isArray(args) ? args.map((one) => (isRecord(one) ? one.name : undefined)) : undefined;
  if (!names?.every((one) => isString(one) && one !== ''))
    yield {
      code: 'invalid-prompt',
      path: ['arguments'],
      message: `Prompt "${name}" has an argument without a name.`,
    };
  else if (new Set(names).size < names.length)
    yield {
      code: 'invalid-prompt',
      path: ['arguments'],
      message: `Prompt "${name}" has two arguments of one name.`,
    };
}

function* checkAddress(address: string, key: string): Generator<SurfaceFault> {
  if (key === 'uri') {
    if (!parseUrl(address))
      yield {
        code: 'invalid-resource',
        path: ['uri'],
        message: `The resource "${address}" has no valid URI.`,
      };
    return;
  }
  try {
    readUriTemplate(address);
  } catch (error) {
    const message = `The resource template "${address}" cannot be read: ${(error as Error).message}`;
    yield { code: 'invalid-resource', path: ['uriTemplate'], message };
  }
}
