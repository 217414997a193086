import { createHash } from 'node:crypto';
import { canonical } from '../base/canonical-json.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import { internalError } from '../protocol/request-errors.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { isSkill } from './select-skills.js';

/** The file of a skill that a client reads. */
interface SkillFileRead {
  readonly uri: string;
  /** Entries of `skills/list` of the upstream server. */
  readonly skills: readonly unknown[];
  /** Name of the upstream server. */
  readonly server: string;
}

/**
 * Returns the result of a read. The content of a listed skill file must have the listed size and digest, and a `SKILL.md` the
 * listed front matter.
 * @throws ProtocolError if it differs
 * @see SEP-2640, Integrity and Verification
 */
export async function verifySkillFile(
  result: JsonObject,
  { uri, skills, server }: SkillFileRead,
): Promise<JsonObject> {
  for (const skill of skills) {
    if (!isSkill(skill) || skill.resources === 'dynamic') continue;
    const listed = skill.resources.find((file) => isRecord(file) && file.uri === uri);
    if (!isRecord(listed)) continue;
    const bytes = contentOf(result, uri);
    const problem =
      findDifference(bytes, listed) ?? (skill.uri === uri ? await findOtherFields(bytes!, skill) : undefined);
    if (problem === undefined) return result;
    const message = `The skill file ${uri} of the upstream server "${server}" is not used: ${problem}.`;
    throw new ProtocolError(internalError, message);
  }
  return result;
}

function contentOf({ contents }: JsonObject, uri: string): Buffer | undefined {
  const [content, ...others] = Array.isArray(contents) ? contents : [];
  if (!isRecord(content) || others.length > 0 || content.uri !== uri) return undefined;
  if (isString(content.text)) return Buffer.from(content.text);
  return isString(content.blob) ? Buffer.from(content.blob, 'base64') : undefined;
}

function findDifference(
  bytes: Buffer | undefined,
  { size, digest }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!bytes) return 'the answer does not contain this file alone';
  if (bytes.length !== size) return `it has ${bytes.length} bytes, and the list names ${String(size)}`;
  const own = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return own === digest ? undefined : 'its digest is not the listed one';
}

/** Compares the front matter of a `SKILL.md` with its entry. */
async function findOtherFields(
  bytes: Buffer,
  { frontmatter }: { readonly frontmatter: object },
): Promise<string | undefined> {
  const own = await readFrontmatter(bytes.toString());
  return own && canonical(own) === canonical(frontmatter)
    ? undefined
    : 'its front matter is not the listed one';
}

async function readFrontmatter(text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [, block] = /^\uFEFF?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms.exec(text) ?? [];
  if (block === undefined) return undefined;
  const { default: yaml } = await import('yaml');
  try {
    const fields: unknown = yaml.parse(block);
    return isRecord(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
