import { isRecord } from '../base/value-checks.js';
import { checkShape, isFunctionLike, type ShapeFault } from './check-shape.js';
import { checkEndpoint } from './check-upstream.js';
import { shapes } from './definition-shapes.js';

/**
 * Checks a tool by its keys alone. Loads few modules, because the authoring API calls it for each `tool()`.
 */
export function* checkTool(value: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  yield* checkShape(value, shapes.tools);
  yield* checkAnswerer(value);
}

/** Requires exactly one of `handler` and `upstream`, and checks it. */
export function* checkAnswerer(value: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  const { handler, upstream } = value;
  if (handler === undefined && upstream === undefined) {
    const expected = 'a function or a module reference such as "./dist/file.js#name"';
    yield { path: ['handler'], problem: 'missing', expected };
  }
  if (handler !== undefined && upstream !== undefined) {
    yield { path: ['upstream'], problem: 'value', expected: 'either "handler" or "upstream", not both' };
  }
  yield* checkEndpoint(upstream, ['upstream']);
  if (isRecord(upstream) && upstream.tool === '') {
    yield { path: ['upstream', 'tool'], problem: 'value', expected: 'the name of the tool there' };
  }
  yield* checkHandler(value);
}

/** JavaScript counts parameters up to the first one with a default. */
function* checkHandler({ handler }: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  const count = isFunctionLike(handler) ? (handler as { readonly length?: unknown }).length : 0;
  if (typeof count !== 'number' || count <= 2) return;
  const expected = `a function of at most (args, ctx); it has ${count} parameters`;
  yield { path: ['handler'], problem: 'value', expected };
}
