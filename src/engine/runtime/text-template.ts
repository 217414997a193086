const slot = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;

const spacedSlot = new RegExp(`( ?)${slot.source}`, 'g');

/** Slot names of a template, each once, in order. */
export function templateSlots(template: string): readonly string[] {
  return [...new Set([...template.matchAll(slot)].map(([, name]) => name!))];
}

/** Fills `{{name}}` slots. Absent arguments become empty text, without a space too many. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(spacedSlot, (slotText: string, space: string, name: string, at: number) => {
    if (Object.hasOwn(values, name)) return space + values[name]!;
    return /^(?: |\r?\n|$)/.test(template.slice(at + slotText.length)) ? '' : space;
  });
}
