import { isRecord } from '../base/value-checks.js';
import { isTemplate } from '../extension/check-definition.js';

const slot = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;

const spacedSlot = new RegExp(`( ?)${slot.source}`, 'g');

/** A slot that opens a line, with the space after it. */
const openingSlot = new RegExp(`(?<=^|\\n)${slot.source} `, 'g');

/** Slot names of a template, each once, in order. */
export function templateSlots(template: string): readonly string[] {
  return [...new Set([...template.matchAll(slot)].map(([, name]) => name!))];
}

/** Fills `{{name}}` slots. Absent arguments become empty text, without a space too many. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const opened = template.replace(openingSlot, (text: string, name: string) =>
    Object.hasOwn(values, name) ? text : '',
  );
  return opened.replace(spacedSlot, (slotText: string, space: string, name: string, at: number) => {
    if (Object.hasOwn(values, name)) return space + values[name]!;
    return /^(?: |\r?\n|$)/.test(opened.slice(at + slotText.length)) ? '' : space;
  });
}

/**
 * Arguments of a prompt definition that its texts name in backticks, the slots of a related system, and that no template
 * inserts. The backticks are sent.
 */
export function backtickSlots({
  arguments: declared,
  content,
  messages,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const pieces = [
    content,
    ...(Array.isArray(messages) ? messages : []).map((one) => (isRecord(one) ? one.content : one)),
  ];
  const texts = pieces
    .flat()
    .flatMap((one) => (isTemplate(one) ? one.template : typeof one === 'string' ? one : []));
  const isInserted = (name: string) => texts.some((text) => templateSlots(text).includes(name));
  return (Array.isArray(declared) ? declared : []).flatMap((one) => {
    const name = isRecord(one) ? (one.name ?? one.Name) : undefined;
    if (typeof name !== 'string' || isInserted(name)) return [];
    return texts.some((text) => text.includes(`\`${name}\``)) ? [name] : [];
  });
}

/** A sentence about such an argument. */
export function backtickAdvice(name: string): string {
  return `\`${name}\` is sent literally. Write { "template": "… {{${name}}} …" } to insert the argument.`;
}
