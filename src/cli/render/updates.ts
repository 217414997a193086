import { singular } from '../../engine/extension/kinds.js';
import { type ChangedFile, called } from '../../engine/packages/comparison.js';
import { type ChangedDependency, versionOf } from '../../engine/packages/dependencies.js';
import {
  type Difference,
  type ItemDifference,
  isSeen,
  type ValueDifference,
} from '../../engine/packages/difference.js';
import type { ItemState } from '../../engine/packages/items.js';
import type { UpdatePlan, UpdateResult } from '../../engine/packages/update.js';
import { shortened, visibleText } from '../../engine/visible-text.js';
import { type ColorOption, styleFor } from './style.js';

/** What an update would change, value by value. */
export function renderPlan({ before, drift, next }: UpdatePlan, options: ColorOption): string {
  const style = styleFor(options);
  const { name, version } = before.record;
  const drifted = drift.map((one) => `warning: ${name} is not what was added: ${one}.`);
  if (!next) return visibleText(asText(drifted));
  const head = `${name} ${version}${leadingTo(next.staged.record.version, version)}`;
  const paint = { '+': style.green, '-': style.red, '~': style.yellow, ' ': style.reset };
  const changes = changesIn(next.difference).map(([mark, line]) =>
    paint[mark](`  ${mark} ${visibleText(line)}`),
  );
  const warnings = next.staged.warnings.map((warning) => `warning: ${warning}`);
  return [
    visibleText(asText(drifted)),
    `${style.bold(visibleText(head))}\n`,
    asText(changes),
    visibleText(asText(warnings)),
  ].join('');
}

/** A package can be another one of the same version. */
function leadingTo(next: string, version: string): string {
  return next === version ? ', other files' : ` → ${next}`;
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

type Change = readonly ['+' | '-' | '~' | ' ', string];

function changesIn({ added, removed, changed, files, dependencies, source }: Difference): readonly Change[] {
  return [
    ...(source ? [['~', `It comes from ${source.after} now, not from ${source.before}.`] as const] : []),
    ...added.map((item) => ['+', called(item) + described(item)] as const),
    ...removed.map((item) => ['-', called(item)] as const),
    ...changed.flatMap(changesOf),
    // It says the version, which is said already.
    ...firstOf(files.filter(({ file }) => file !== 'package.json').map(fileChange), 'files'),
    ...dependencyChanges(dependencies),
  ];
}

function described({ value, problem, isCode }: ItemState): string {
  if (problem !== undefined) return `, which cannot be had: ${problem}`;
  if (isCode && value === undefined) return ', which is defined by code';
  return typeof value?.description === 'string' ? `: ${cut(value.description)}` : '';
}

function changesOf(item: ItemDifference): readonly Change[] {
  const { values, files, unread, problem } = item;
  return [
    ['~', called(item)],
    ...values.map((value) => [' ', `  ${valueLine(value)}`] as const),
    ...files.map((file) => [' ', `  ${file} has changed`] as const),
    ...(unread === false ? [] : [[' ', `  ${unreadLines[unread]}`] as const]),
    ...(problem === undefined ? [] : [[' ', `  It would be left out: ${problem}`] as const]),
  ];
}

const unreadLines = {
  definition: 'It is defined by code; see what that says with --load.',
  text: 'Its text is made by code, and may be another one.',
} as const satisfies Record<Exclude<ItemDifference['unread'], false>, string>;

function valueLine({ path, before, after }: ValueDifference): string {
  const [old, now] = aroundDifference(spelled(before), spelled(after));
  return `${path.join('.')}: ${old} → ${now}`;
}

function spelled(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

/** Longer values are cut. */
const maxLength = 200;

/** How much is shown of what is still the same. */
const lead = 30;

/** Two long texts from shortly before they differ: what changes must not hide behind what does not. */
function aroundDifference(one: string, other: string): readonly [string, string] {
  if (one.length <= maxLength && other.length <= maxLength) return [one, other];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const start = Math.max(0, same - lead);
  const from = (text: string) => (start === 0 ? '' : '…') + cut(text.slice(start));
  return [from(one), from(other)];
}

function cut(text: string): string {
  return shortened(text.replaceAll('\n', ' '), maxLength);
}

function fileChange({ file, change }: ChangedFile): Change {
  const marks = { new: '+', gone: '-', changed: '~' } as const;
  return [marks[change], file];
}

/** Extensions are never left out, since what they declare may be seen. */
function dependencyChanges(dependencies: readonly ChangedDependency[]): readonly Change[] {
  const isExtension = ({ before, after }: ChangedDependency) => before?.isExtension || after?.isExtension;
  const others = dependencies.filter((one) => !isExtension(one)).map(dependencyChange);
  const extensions = dependencies.filter(isExtension).map(dependencyChange);
  return [
    ...extensions.map(([mark, line]): Change => [mark, `${line}, an extension`]),
    ...firstOf(others, 'dependencies'),
  ];
}

function dependencyChange({ name, before, after }: ChangedDependency): Change {
  const what = `dependency ${name}`;
  if (!before) return ['+', `${what} ${versionOf(after)}`];
  if (!after) return ['-', `${what} ${versionOf(before)}`];
  return ['~', `${what} ${versionOf(before)}${leadingTo(versionOf(after), versionOf(before))}`];
}

/** More files or dependencies than these are counted. */
const maxShown = 10;

function firstOf(changes: readonly Change[], what: string): readonly Change[] {
  const rest = changes.length - maxShown;
  return [...changes.slice(0, maxShown), ...(rest > 0 ? [[' ', `and ${rest} more ${what}`] as const] : [])];
}

/** What became of it, in a line. */
export function updateLine({ plan, state, error }: UpdateResult): string {
  const { name, version } = plan.before.record;
  const next = plan.next?.staged.record.version;
  const what = {
    current: () => `${name} ${version} is the newest${allowedBy(plan)}.`,
    available: () => `${name} ${next} can be had with: agenttools update ${name}`,
    updated: () => `Updated ${name} ${next === version ? version : `from ${version} to ${next}`}.`,
    declined: () => `${name} stays at ${version}.`,
    held: () =>
      `error: ${name} stays at ${version}, because the model would see something else. If that is right: agenttools update ${name} --yes`,
    failed: () => `error: ${name} stays at ${version}: ${error?.message}`,
  } satisfies Record<UpdateResult['state'], () => string>;
  return visibleText(`${what[state]()}\n`);
}

function allowedBy({ before }: UpdatePlan): string {
  const { kind, wanted } = before.record.wanted;
  if (kind !== 'registry') return ` at ${wanted}`;
  return wanted === 'latest' ? '' : ` that "${wanted}" allows`;
}

/** What would change or was changed, for other programs. */
export function updateData({ plan, state, error }: UpdateResult): object {
  const { before, drift, next } = plan;
  const { name, version: previous } = before.record;
  return {
    name,
    previous,
    version: next?.staged.record.version ?? previous,
    state,
    drift,
    ...(next && { seen: isSeen(next.difference), changes: changesData(next.difference) }),
    ...(error && { error: error.message }),
  };
}

function changesData({ added, removed, changed, files, dependencies, source }: Difference): object {
  const item = ({ kind, name, value }: ItemState) => ({
    kind: singular[kind],
    name,
    ...(typeof value?.description === 'string' && { description: value.description }),
  });
  return {
    added: added.map(item),
    removed: removed.map(item),
    changed: changed.map(({ kind, ...rest }) => ({
      kind: singular[kind],
      ...rest,
      values: rest.values.map(valueData),
    })),
    files,
    dependencies: dependencies.map(({ name, before, after }) => ({
      name,
      ...(before && { before: before.version }),
      ...(after && { after: after.version }),
    })),
    ...(source && { source }),
  };
}

/** JSON has no undefined. */
function valueData({ path, before, after }: ValueDifference): object {
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
