import { checkShape, isFunctionLike, type ShapeFault, shapes } from './shapes.js';

/** Judges a tool by its keys alone; light, because the authoring API does it where a tool is written. */
export function* checkTool(value: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  yield* checkShape(value, shapes.tools);
  yield* checkHandler(value);
}

/** Parameters are counted up to the first one with a default, as the language does. */
export function* checkHandler({ handler }: Readonly<Record<string, unknown>>): Generator<ShapeFault> {
  const count = isFunctionLike(handler) ? (handler as { readonly length?: unknown }).length : 0;
  if (typeof count !== 'number' || count <= 2) return;
  const expected = `a function of at most (args, ctx); it has ${count} parameters`;
  yield { path: ['handler'], problem: 'value', expected };
}
