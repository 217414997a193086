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
