const slot = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;

/** Slot names of a template, each once, in order. */
export function templateSlots(template: string): readonly string[] {
  return [...new Set([...template.matchAll(slot)].map(([, name]) => name!))];
}

/** Fills `{{name}}` slots; absent arguments become empty text. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(slot, (_, name: string) => (Object.hasOwn(values, name) ? values[name]! : ''));
}
