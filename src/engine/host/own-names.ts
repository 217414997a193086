import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Kept before extension code loads.
const list = readdirSync;
const read = readFileSync;
const { join } = path;
const { apply } = Reflect;
const { create } = Object;
const { exec, test } = RegExp.prototype;

const compiled = /\.js$/;
/** Reads and definitions of properties: `.name`, `{ name`, `, name`, `"name"`. */
const property = /[.{,"'`]\s?([A-Za-z_$][\w$]*)/g;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** Property names by folder. */
const known: Record<string, Readonly<Record<string, true>> | undefined> = create(null);

/**
 * True if the compiled code in a folder may read properties with this name, also if the folder is unreadable or the name
 * is no identifier. Reads all files at the first call: 100 ms for AgentTools.
 */
export function readsName(folder: string, name: string): boolean {
  if (!apply(test, identifier, [name])) return true;
  try {
    known[folder] ??= collectNames(folder);
    return known[folder][name] === true;
  } catch {
    return true;
  }
}

function collectNames(folder: string): Readonly<Record<string, true>> {
  const names: Record<string, true> = create(null);
  const files = list(folder);
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index]!;
    if (!apply(test, compiled, [file])) continue;
    const text = read(join(folder, file), 'utf8');
    property.lastIndex = 0;
    for (let found = nextName(text); found; found = nextName(text)) names[found[1]!] = true;
  }
  return names;
}

function nextName(text: string): RegExpExecArray | null {
  return apply(exec, property, [text]) as RegExpExecArray | null;
}
