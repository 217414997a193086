import { type AnyNode, type Expression, type Program, parse, type SpreadElement } from 'acorn';
import type { CspList, Evaluation, ExternalRequest, PageFindings } from './page-findings.js';

/** Kind of a script: `handler` is the code of an event attribute. */
export type ScriptKind = 'module' | 'script' | 'handler';

/** Parts of a script that the host's policy may block, or the reason why it does not run. */
export interface ScriptFindings extends PageFindings {
  /** Strings and names in the script, for the search for protocol strings. */
  readonly words: ReadonlySet<string>;
  readonly fault?: { readonly reason: string; readonly offset: number };
}

/** Reads a script without running it. */
export function readScript(source: string, kind: ScriptKind): ScriptFindings {
  const program = parseScript(source, kind);
  if (program === undefined) return { reaches: [], evaluations: [], words: new Set([source]) };
  if ('reason' in program) return { reaches: [], evaluations: [], words: new Set(), fault: program };
  const nodes = [...walk(program)];
  const constants = constantsIn(nodes);
  const reaches: ExternalRequest[] = [];
  const evaluations: Evaluation[] = [];
  const words = new Set<string>();
  for (const { node, isTried } of nodes) {
    for (const word of literalWords(node)) words.add(word);
    for (const { asked, ...rest } of findScriptRequests(node)) {
      const url = asked ? literalUrl(asked, constants) : undefined;
      if (asked && url !== undefined) reaches.push({ url, ...rest, offset: asked.start });
    }
    const by = evaluationBy(node);
    // Code in a `try` may fail: libraries test there if evaluation is allowed.
    if (by !== undefined && !isTried) evaluations.push({ by, offset: node.start });
  }
  return { reaches, evaluations, words };
}

/** Undefined if the script nests too deep for the parser, since browsers parse deeper. */
function parseScript(
  source: string,
  kind: ScriptKind,
): Program | { reason: string; offset: number } | undefined {
  try {
    return parse(source, {
      ecmaVersion: 'latest',
      sourceType: kind === 'module' ? 'module' : 'script',
      allowReturnOutsideFunction: kind === 'handler',
    });
  } catch (error) {
    if (error instanceof RangeError || /stack space/.test(String(error))) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    const { message, pos } = error as SyntaxError & { pos: number };
    return { reason: message.replace(/ \(\d+:\d+\)$/, ''), offset: pos };
  }
}

interface VisitedNode {
  readonly node: AnyNode;
  /** True inside the block of a `try`. */
  readonly isTried: boolean;
}

/** Every node, in the order of the text. Without recursion, since minified code nests deep. */
function* walk(program: Program): Generator<VisitedNode> {
  const waiting: VisitedNode[] = [{ node: program, isTried: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const { node, isTried } = next;
    const parts = Object.entries(node).flatMap(([key, value]) => {
      const within = isTried || (node.type === 'TryStatement' && key === 'block');
      return [value].flat().flatMap((part) => (isNode(part) ? { node: part, isTried: within } : []));
    });
    // One by one: the list may be longer than the limit of call arguments.
    for (const part of parts.sort((a, b) => b.node.start - a.node.start)) waiting.push(part);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

type Constants = ReadonlyMap<string, Expression | undefined>;

/** Initial values of the constants; undefined for a name that is declared more than once. */
function constantsIn(nodes: readonly VisitedNode[]): Constants {
  const found = new Map<string, Expression | undefined>();
  for (const { node } of nodes) {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') continue;
    for (const { id, init } of node.declarations) {
      if (id.type === 'Identifier') found.set(id.name, found.has(id.name) ? undefined : (init ?? undefined));
    }
  }
  return found;
}

function* literalWords(node: AnyNode): Iterable<string> {
  if (node.type === 'Literal' && typeof node.value === 'string') yield node.value;
  if (node.type === 'TemplateElement' && typeof node.value.cooked === 'string') yield node.value.cooked;
  if (node.type === 'Identifier') yield node.name;
}

interface ScriptRequest {
  readonly asked: Expression | SpreadElement | null | undefined;
  readonly lists: readonly CspList[];
  readonly by: string;
}

/** Constructors that load the URL in their first argument. */
const constructors: Readonly<Record<string, CspList>> = {
  WebSocket: 'connectDomains',
  EventSource: 'connectDomains',
  WebTransport: 'connectDomains',
  Worker: 'resourceDomains',
  SharedWorker: 'resourceDomains',
  Audio: 'resourceDomains',
};

const requestMethod = /^(?:get|post|put|patch|delete|head|options)$/i;

function* findScriptRequests(node: AnyNode): Iterable<ScriptRequest> {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      if (node.source) yield { asked: node.source, lists: ['resourceDomains'], by: 'import' };
      break;
    case 'ImportExpression':
      yield { asked: node.source, lists: ['resourceDomains'], by: 'import()' };
      break;
    case 'NewExpression': {
      const name = globalName(node.callee);
      if (name === undefined || !Object.hasOwn(constructors, name)) break;
      yield { asked: node.arguments[0], lists: [constructors[name]!], by: `new ${name}()` };
      break;
    }
    case 'CallExpression': {
      const [first, second] = node.arguments;
      if (globalName(node.callee) === 'fetch')
        yield { asked: first, lists: ['connectDomains'], by: 'fetch()' };
      const member = memberName(node.callee);
      if (member === 'sendBeacon') yield { asked: first, lists: ['connectDomains'], by: 'sendBeacon()' };
      if (member === 'open' && first?.type === 'Literal' && requestMethod.test(String(first.value))) {
        yield { asked: second, lists: ['connectDomains'], by: 'XMLHttpRequest' };
      }
      break;
    }
    case 'AssignmentExpression':
      // The element may be a frame or an image.
      if (memberName(node.left) === 'src') {
        yield { asked: node.right, lists: ['resourceDomains', 'frameDomains'], by: '.src' };
      }
  }
}

/** The name of a global, used alone or as a member of the window. */
function globalName(callee: AnyNode): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return undefined;
  return ['window', 'globalThis', 'self'].includes(callee.object.name) ? memberName(callee) : undefined;
}

function memberName(node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed) return undefined;
  return node.property.type === 'Identifier' ? node.property.name : undefined;
}

/** The call that runs text as code, as messages name it; undefined for other nodes. */
function evaluationBy(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const name = globalName(node.callee);
  if (name === 'Function') return 'new Function()';
  if (node.type === 'NewExpression') return undefined;
  if (name === 'eval') return 'eval()';
  const isText = node.arguments[0]?.type === 'Literal' && typeof node.arguments[0].value === 'string';
  if ((name === 'setTimeout' || name === 'setInterval') && isText) return `${name}() with text`;
  const { callee } = node;
  const isAssembly = callee.type === 'MemberExpression' && globalName(callee.object) === 'WebAssembly';
  return isAssembly && /^(?:compile|instantiate)/.test(memberName(callee) ?? '') ? 'WebAssembly' : undefined;
}

/** The URL of an expression, if at least its start is known and shows the target. */
function literalUrl(expression: Expression | SpreadElement, constants: Constants): string | undefined {
  const { text, isWhole } = findTextStart(expression, constants);
  if (isWhole) return text;
  const leads = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]+[/?#]|^\.{0,2}\/(?!\/)|^(?:data|blob):/i;
  return leads.test(text) ? text : undefined;
}

interface TextStart {
  readonly text: string;
  readonly isWhole: boolean;
}

const unknownText: TextStart = { text: '', isWhole: false };

/** The known start of an expression's text. `depth` stops at constants that refer to each other. */
function findTextStart(expression: AnyNode | null, constants: Constants, depth = 0): TextStart {
  if (!expression || depth > 20) return unknownText;
  const next = (part: AnyNode | null) => findTextStart(part, constants, depth + 1);
  switch (expression.type) {
    case 'Literal':
      return typeof expression.value === 'string' ? { text: expression.value, isWhole: true } : unknownText;
    case 'TemplateLiteral': {
      const texts = expression.quasis.map(({ value }) => ({ text: value.cooked ?? '', isWhole: true }));
      return texts
        .flatMap((text, index) => [text, ...expression.expressions.slice(index, index + 1).map(next)])
        .reduce(concatStarts);
    }
    case 'BinaryExpression':
      return expression.operator === '+'
        ? concatStarts(next(expression.left), next(expression.right))
        : unknownText;
    case 'Identifier':
      return next(constants.get(expression.name) ?? null);
    case 'NewExpression': {
      const name = globalName(expression.callee);
      const [first, base] = expression.arguments;
      if (name === 'Request') return next(first ?? null);
      if (name !== 'URL') return unknownText;
      return base ? { ...next(base), isWhole: false } : next(first ?? null);
    }
    case 'CallExpression':
      return memberName(expression.callee) === 'createObjectURL'
        ? { text: 'blob:', isWhole: false }
        : unknownText;
    default:
      return unknownText;
  }
}

function concatStarts(left: TextStart, right: TextStart): TextStart {
  return left.isWhole ? { text: left.text + right.text, isWhole: right.isWhole } : left;
}
