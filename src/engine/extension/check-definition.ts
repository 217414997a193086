import { isObjectName } from '../base/reserved-names.js';
import { isRecord } from '../base/value-checks.js';
import { checkSandboxForms } from './check-sandbox.js';
import { checkShape, isFunctionLike, type ShapeFault } from './check-shape.js';
import { checkAnswerer } from './check-tool.js';
import { isAnnotations, isContentBlock, isIconAddress } from './content-block.js';
import { shapes } from './definition-shapes.js';
import type { Kind } from './item-kinds.js';
import { readUriTemplate, type UriTemplate, UriTemplateError } from './uri-template.js';

/**
 * Checks the keys of a definition and the rules between them. Needs no other file. Serving and validating
 * both use it, so a definition passes both or neither.
 */
export function* checkDefinition(
  kind: Kind,
  value: Readonly<Record<string, unknown>>,
): Generator<ShapeFault> {
  yield* checkShape(value, shapes[kind]);
  yield* checkIcons(value.icons);
  yield* keyRelationChecks[kind](value);
}

type CheckKeyRelations = (value: Readonly<Record<string, unknown>>) => Iterable<ShapeFault>;

const keyRelationChecks = {
  tools: checkAnswerer,
  prompts: checkPrompt,
  resources: checkResource,
  servers: checkServer,
  apps: () => [],
} as const satisfies Record<Kind, CheckKeyRelations>;

function* checkPrompt(value: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  const { content, messages, type, arguments: declared } = value;
  if (content === undefined && messages === undefined) {
    yield {
      path: ['content'],
      problem: 'missing',
      expected: 'text, { "template": … }, a function, or "messages"',
    };
  }
  if (content !== undefined && messages !== undefined) {
    yield { path: ['messages'], problem: 'value', expected: 'either "content" or "messages", not both' };
  }
  if (content !== undefined && !isPromptContent(content)) {
    yield { path: ['content'], problem: 'type', expected: 'a string, { "template": … } or a function' };
  }
  if (
    type === 'function' &&
    content !== undefined &&
    !isFunctionLike(content) &&
    typeof content !== 'string'
  ) {
    yield {
      path: ['content'],
      problem: 'type',
      expected: 'a function or a module reference such as "./file.js#name"',
    };
  }
  if (type === 'text' && isFunctionLike(content)) {
    yield { path: ['content'], problem: 'type', expected: 'text, because "type" is "text"' };
  }
  if (Array.isArray(messages)) yield* checkMessages(messages);
  if (!Array.isArray(declared)) return;
  const names = new Set<unknown>();
  for (const [index, argument] of declared.entries()) {
    const name = isRecord(argument) ? argument.name : undefined;
    if (typeof name !== 'string') continue;
    if (names.has(name)) {
      yield {
        path: ['arguments', index, 'name'],
        problem: 'value',
        expected: `another name; "${name}" is declared twice`,
      };
    }
    names.add(name);
  }
}

function* checkMessages(messages: readonly unknown[]): Generator<ShapeFault> {
  if (messages.length === 0) yield { path: ['messages'], problem: 'value', expected: 'at least one message' };
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message) || message.content === undefined) continue;
    const { content } = message;
    const pieces = Array.isArray(content) ? content : [content];
    const isPiece = (one: unknown) => typeof one === 'string' || isTemplate(one) || isContentBlock(one);
    if (pieces.length > 0 && pieces.every(isPiece)) continue;
    const path = ['messages', index, 'content'];
    const expected =
      'a string, { "template": … }, a content block with all keys of its "type", or a list of these';
    yield { path, problem: 'type', expected };
  }
}

function isPromptContent(value: unknown): boolean {
  return typeof value === 'string' || isFunctionLike(value) || isTemplate(value);
}

/** `{ "template": "Hello, {{name}}!" }` */
export function isTemplate(value: unknown): value is { template: string } {
  return isRecord(value) && typeof value.template === 'string';
}

function* checkIcons(icons: unknown): Generator<ShapeFault> {
  for (const [index, icon] of (Array.isArray(icons) ? icons : []).entries()) {
    if (!isRecord(icon) || typeof icon.src !== 'string' || isIconAddress(icon.src)) continue;
    yield { path: ['icons', index, 'src'], problem: 'value', expected: 'an https: or data: address' };
  }
}

const contentKeys = ['text', 'file', 'read'];

function* checkResource(value: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  const { uri, uriTemplate } = value;
  if (uri === undefined && uriTemplate === undefined) {
    yield {
      path: ['uri'],
      problem: 'missing',
      expected: 'an address such as "app://config", or "uriTemplate"',
    };
  }
  if (uri !== undefined && uriTemplate !== undefined) {
    yield { path: ['uriTemplate'], problem: 'value', expected: 'either "uri" or "uriTemplate", not both' };
  }
  if (typeof uri === 'string' && !isUri(uri)) {
    yield { path: ['uri'], problem: 'value', expected: 'an absolute URI such as "app://config" (RFC 3986)' };
  }
  if (typeof uriTemplate === 'string') yield* checkTemplate(uriTemplate, value.complete);
  if (isRecord(value.annotations) && !isAnnotations(value.annotations)) {
    yield {
      path: ['annotations'],
      problem: 'value',
      expected: '"audience" of "user" and "assistant", "priority" from 0 to 1, "lastModified" in ISO 8601',
    };
  }
  const given = contentKeys.filter((key) => value[key] !== undefined);
  if (given.length === 0) yield { path: ['text'], problem: 'missing', expected: '"text", "file" or "read"' };
  if (given.length > 1) {
    yield {
      path: [given[1]!],
      problem: 'value',
      expected: `only one of ${contentKeys.map((key) => `"${key}"`).join(', ')}`,
    };
  }
  if (uriTemplate !== undefined && value.read === undefined && given.length > 0) {
    yield {
      path: [given[0]!],
      problem: 'value',
      expected: '"read", because a template represents many resources',
    };
  }
}

function* checkTemplate(text: string, complete: unknown): Generator<ShapeFault> {
  const path = ['uriTemplate'];
  let template: UriTemplate;
  try {
    template = readUriTemplate(text);
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    yield { path, problem: 'value', expected: `another URI template (RFC 6570): ${error.message}` };
    return;
  }
  if (!isUri(text.replace(/\{[^{}]*\}/g, 'x'))) {
    yield { path, problem: 'value', expected: 'a URI template such as "db://{table}" (RFC 6570)' };
  }
  if (!isRecord(complete)) return;
  for (const [name, suggestions] of Object.entries(complete)) {
    const at = ['complete', name];
    if (!template.variables.includes(name)) {
      yield { path: at, problem: 'unknown', expected: 'a variable', known: template.variables };
    } else if (Array.isArray(suggestions) && suggestions.some((one) => typeof one !== 'string')) {
      yield { path: at, problem: 'type', expected: 'a list of strings, a function or a module reference' };
    }
  }
}

/** An absolute URI without spaces or control characters. */
function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/.test(text);
}

/** Keys of a server that list items. */
export const serverLists = ['tools', 'prompts', 'resources', 'apps'] as const satisfies readonly Kind[];

/** Keys of a server that list items or skills. */
export const servedLists = [...serverLists, 'skills'] as const;

function* checkServer(value: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  const { configKey } = value;
  if (typeof configKey === 'string' && (configKey.trim() === '' || isObjectName(configKey))) {
    const expected = 'a name that clients accept as a key, such as "Weather"';
    yield { path: ['configKey'], problem: 'value', expected };
  }
  if (typeof value.skills === 'string' && value.skills !== '*') {
    const expected = 'a list of names, or "*" for all that the package has';
    yield { path: ['skills'], problem: 'value', expected };
  }
  if (isRecord(value.sandbox)) yield* checkSandboxForms(value.sandbox, ['sandbox']);
  for (const kind of serverLists) {
    const list = value[kind];
    if (typeof list === 'string' && list !== '*') {
      yield {
        path: [kind],
        problem: 'value',
        expected: 'a list of names, or "*" for all that the package declares',
      };
    }
    if (!Array.isArray(list)) continue;
    for (const [index, entry] of list.entries()) {
      if (typeof entry === 'string' || isRecord(entry)) continue;
      const path = [kind, index];
      yield { path, problem: 'type', expected: 'a name, { "use": name, … } or a definition' };
    }
  }
}
