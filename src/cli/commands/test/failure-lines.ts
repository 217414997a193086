import { toPointer } from '../../../engine/schema/schema-issue.js';
import { surfaceKinds, surfaceSnapshotFile } from '../../../engine/surface/recorded-surface.js';
import type { SurfaceChange } from '../../../engine/surface/surface-changes.js';
import type { Failure } from '../../../engine/testing/check-answer.js';
import type { TestReport } from '../../../engine/testing/run-tests.js';
import type { CasePlace } from '../../../engine/testing/test-case.js';

/** Most differences of one failure that are printed. */
const maxDifferences = 20;

/** Most characters of one value. */
const maxValue = 300;

/** Lines of a failure: its sentence, then the differing values. */
export function failureLines({ message, differences = [] }: Failure): readonly string[] {
  const shown = differences.slice(0, maxDifferences).flatMap(({ path, expected, actual }) => {
    const place = toPointer(path);
    return [
      ...(place === '' ? [] : [`  at ${place}`]),
      `  - expected: ${shownValue(expected)}`,
      `  + received: ${shownValue(actual)}`,
    ];
  });
  const rest = differences.length - maxDifferences;
  return [message, ...shown, ...(rest > 0 ? [`  and ${rest} more differences`] : [])];
}

/** `tool "greet" /inputSchema/properties/name is new and required: "…" → "…"` */
export function changeLine({ kind, name, path, what, before, after }: SurfaceChange): string {
  const item = kind === 'server' ? `server "${name}"` : `${surfaceKinds[kind].what} "${name}"`;
  if (path.length === 0) return `${item} ${what}`;
  return `${item} ${toPointer(path)} ${what}: ${shownValue(before)} → ${shownValue(after)}`;
}

/** Failed cases, with equal failures of several eras once. */
export function failedCases({ results }: TestReport): readonly FailedCase[] {
  const found = new Map<string, FailedCase>();
  for (const { case: one, era, failures } of results) {
    if (failures.length === 0) continue;
    const lines = failures.flatMap(failureLines);
    const key = JSON.stringify([one.place, one.name, lines]);
    const eras = [...(found.get(key)?.eras ?? []), ...(era ? [era] : [])];
    const title = eras.length > 0 ? `${one.name} [${eras.join(', ')}]` : one.name;
    found.set(key, { title, eras, place: one.place, lines });
  }
  return [...found.values()];
}

interface FailedCase {
  readonly title: string;
  readonly eras: readonly string[];
  readonly place: CasePlace;
  readonly lines: readonly string[];
}

/** Cases with warnings about their results, with equal warnings of several eras once. */
export function warnedCases({ results }: TestReport): readonly WarnedCase[] {
  const found = new Map<string, WarnedCase>();
  for (const { case: one, warnings } of results)
    for (const { code, message } of warnings)
      found.set(JSON.stringify([one.place, code]), { title: one.name, place: one.place, code, message });
  return [...found.values()];
}

interface WarnedCase {
  readonly title: string;
  readonly place: CasePlace;
  readonly code: string;
  readonly message: string;
}

/** Sentence about the surface; undefined if it is as recorded. */
export function surfaceSentence({ surface }: TestReport): string | undefined {
  const { state, message = '' } = surface;
  if (state === 'missing' || state === 'unrecorded')
    return `There is no ${surfaceSnapshotFile}. Record what clients see with: agenttools test --update`;
  if (state === 'changed')
    return `Clients see something else than in ${surfaceSnapshotFile}. Accept the changes with: agenttools test --update`;
  if (state === 'unreadable')
    return `${surfaceSnapshotFile} cannot be read: ${message} Write it again with: agenttools test --update`;
  if (state === 'written') return `${surfaceSnapshotFile} is written.`;
  return state === 'failed' ? message : undefined;
}

/** Sentences about the comparison with an earlier surface. */
export function releaseSentences({ release }: TestReport): readonly string[] {
  if (!release) return [];
  if ('note' in release) return [release.note];
  const { against, needed, versions, isTooSmall, changes } = release;
  if (!needed) return [`No changes since ${against}.`];
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const head = `${count} since ${against}. ${changes.length === 1 ? 'It needs' : 'They need'} a ${needed} step`;
  if (!versions) return [`${head}.`];
  return [
    isTooSmall
      ? `${head}: at least version ${versions.needed}, and package.json has ${versions.current}.`
      : `${head}, and version ${versions.current} has it.`,
  ];
}

function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}
