import { isRecord } from '../base/value-checks.js';

/** Most elements of each array and characters of each string, from mild to harsh. */
const steps = [1000, 300, 100, 30, 10, 3, 1, 0].flatMap((elements) =>
  [10_000, 1000, 100].map((characters) => ({ elements, characters })),
);

type SizeStep = (typeof steps)[number];

/**
 * Shortens arrays and strings of a value until its JSON text has at most `max` UTF-16 units. All members of objects stay.
 * Undefined: no such value is valid.
 */
export async function shrinkValue(
  value: unknown,
  max: number,
  isValid: (value: unknown) => Promise<boolean>,
): Promise<unknown> {
  for (const step of steps) {
    const shrunk = shorten(value, step);
    if (JSON.stringify(shrunk).length <= max && (await isValid(shrunk))) return shrunk;
  }
  return undefined;
}

function shorten(value: unknown, step: SizeStep): unknown {
  if (typeof value === 'string') return shortText(value, step.characters);
  if (Array.isArray(value)) return value.slice(0, step.elements).map((one) => shorten(one, step));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, shorten(held, step)]));
}

function shortText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')} …`;
}
