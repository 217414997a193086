import { isRecord, isString } from '../base/value-checks.js';
import type { CompatibilityFinding } from './compatibility-finding.js';
import { type CompatibilityFault, judgeFinding } from './judge-findings.js';

interface ToolAnswer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}

/** Faults of a result in all clients, by the default rules. The only rules that need a call. */
export function judgeResult(result: ToolAnswer): readonly CompatibilityFault[] {
  return [...checkResult(result)].flatMap((finding) => judgeFinding(finding, undefined) ?? []);
}

/** `countsData`: for the limits that count the data of images and sounds. */
function sizeFinding(length: number, countsData: boolean): CompatibilityFinding {
  return {
    code: 'compat/result-size',
    problem: `The result has ${length.toLocaleString('en-US')} characters${countsData ? ', with the data of images and sounds' : ''}`,
    remedy: 'Return a part and the way to the next one, or a link to a resource.',
    path: ['content'],
    measured: length,
    concerns: ({ scope }) => (scope?.counts === 'data') === countsData,
  };
}

/** Checks the result of a call for forms that clients cut, drop or do not show. */
function* checkResult({ content, structuredContent }: ToolAnswer): Generator<CompatibilityFinding> {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && isString(text) ? [text] : []));
  const json = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  const length = Math.max(texts.join('\n').length, json.length);
  const dataLength = blocks.reduce((sum, { data }) => sum + (isString(data) ? data.length : 0), 0);
  yield sizeFinding(length, false);
  yield sizeFinding(length + dataLength, true);
  const hasText = texts.some((text) => text.trim() !== '');
  if (json !== '' && !hasText)
    yield {
      code: 'compat/structured-only',
      problem: 'The result has structured content and no text',
      remedy: 'Return the same facts as text, too.',
      path: ['structuredContent'],
      concerns: ({ scope }) => scope?.reads === 'text',
    };
  const media = blocks.find(({ type }) => type === 'image' || type === 'audio');
  if (media && json === '' && !hasText)
    yield {
      code: 'compat/image-content',
      problem: `The result has only content of the type "${media.type}"`,
      remedy: 'Add a text with the facts of it.',
      path: ['content'],
    };
}
