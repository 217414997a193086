import { createHash } from 'node:crypto';
import { quotePlain } from './check-text.js';
import type { TextSeverity } from './hidden-characters.js';
import { checkItemTexts, type ItemTextFault } from './item-texts.js';

/** A fault of a text, for users. Holds no hidden characters. */
export interface TextFinding {
  /** Code of the rule. */
  readonly code: string;
  readonly severity: TextSeverity;
  /** A sentence that names the item, the text and its fault. */
  readonly message: string;
  /** The text around the fault, with escapes for all unusual characters. */
  readonly excerpt: string;
  /** SHA-256 of the whole text. */
  readonly hash: string;
}

/** A part of a server with texts that models read. */
export interface ItemTexts {
  /** In a sentence, such as `tool`. */
  readonly kind: string;
  /** Undefined for the server. */
  readonly name?: string;
  readonly value: unknown;
}

/** Finds the faults of the texts of several parts, each of them once. */
export function findTexts(parts: Iterable<ItemTexts>): readonly TextFinding[] {
  const found = [...parts].flatMap(({ kind, name, value }) => {
    const label = `the ${kind}${name === undefined ? '' : ` ${quotePlain(name)}`}`;
    return [...checkItemTexts(value, { label })];
  });
  return uniqueFindings(found.map(textFinding));
}

/** The finding of a fault. */
export function textFinding({
  code,
  severity,
  message,
  excerpt,
  text,
}: Pick<ItemTextFault, 'code' | 'severity' | 'message' | 'excerpt' | 'text'>): TextFinding {
  return { code, severity, message, excerpt, hash: createHash('sha256').update(text).digest('hex') };
}

/** Leaves out findings of another source for the same text. */
export function uniqueFindings(findings: readonly TextFinding[]): readonly TextFinding[] {
  return [...new Map(findings.map((one) => [`${one.code} ${one.message} ${one.hash}`, one])).values()];
}

/** One line about a finding: `text/bidi-controls: The description of … has …: "a\u{202E}b"` */
export function findingLine({ code, message, excerpt }: Omit<TextFinding, 'hash'>): string {
  return `${code}: ${message.replace(/\.$/, '')}: ${excerpt}`;
}
