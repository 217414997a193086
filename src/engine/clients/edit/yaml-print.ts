import { ConfigError, type ConfigValue } from './editor.js';

/** Indentation of a document, in columns. */
export interface YamlStyle {
  /** From a key to the keys below it. */
  readonly step: number;
  /** From a key to the dashes below it; often 0. */
  readonly listStep: number;
  /** From a dash to the text after it. */
  readonly dash: number;
}

/** Prints a scalar, or an empty map or list. Undefined for other values, which need separate lines. */
export function inlineText(value: ConfigValue): string | undefined {
  if (isList(value)) return value.length === 0 ? '[]' : undefined;
  if (typeof value !== 'object' || value === null) return scalarText(value, { quoted: false });
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

/** Prints the lines of a value in block form. The outermost lines are not indented. */
export function blockLines(value: ConfigValue, style: YamlStyle): string[] {
  const inline = inlineText(value);
  if (inline !== undefined) return [inline];
  if (isList(value)) {
    return value.flatMap((item) => {
      const [first, ...others] = blockLines(item, style);
      return ['-'.padEnd(style.dash) + first, ...indentLines(others, style.dash)];
    });
  }
  return Object.entries(value as object).flatMap(([key, held]: [string, ConfigValue]) => {
    const name = `${printScalar(key, { quoted: false })}:`;
    const text = inlineText(held);
    if (text !== undefined) return [`${name} ${text}`];
    return [name, ...indentLines(blockLines(held, style), isList(held) ? style.listStep : style.step)];
  });
}

/** Prints a value in flow form. With `quoted`, all strings are in quotes, as in JSON. */
export function flowText(value: ConfigValue, how: { readonly quoted: boolean }): string {
  if (isList(value)) return `[${value.map((item) => flowText(item, how)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalarText(value, how);
  const pairs = Object.entries(value).map(([key, held]) => flowPair(key, held, how));
  return `{${pairs.join(', ')}}`;
}

/** Prints a key and its value for a map in flow form. */
export function flowPair(key: string, value: ConfigValue, how: { readonly quoted: boolean }): string {
  return `${printScalar(key, how)}: ${flowText(value, how)}`;
}

/** True if a value is a list. `Array.isArray` does not narrow to readonly arrays. */
export function isList(value: unknown): value is readonly ConfigValue[] {
  return Array.isArray(value);
}

export function indentLines(lines: readonly string[], columns: number): string[] {
  return lines.map((line) => ' '.repeat(columns) + line);
}

function scalarText(value: null | boolean | number | string, how: { readonly quoted: boolean }): string {
  if (typeof value === 'string') return printScalar(value, how);
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** YAML 1.1 reads `1e+21` as text: its floats have a dot. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}

/** Words that every reader of YAML 1.1 or 1.2 takes for text, unless reserved. */
const plainScalar = /^-{0,2}[A-Za-z_/][\w./@+=-]*(?: [\w./@+=-]+)*$/;
const reservedScalar = /^(?:y|n|yes|no|on|off|true|false|null|-?(?:nan|inf|infinity))$/i;

/** Characters that JSON does not escape, but YAML forbids or readers of YAML 1.1 treat as line ends. */
const unprintableCharacters = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

function printScalar(text: string, { quoted }: { readonly quoted: boolean }): string {
  if (/\p{Surrogate}/u.test(text)) throw new ConfigError('A lone surrogate cannot be written in YAML.');
  if (!quoted && plainScalar.test(text) && !reservedScalar.test(text)) return text;
  return JSON.stringify(text).replace(
    unprintableCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
