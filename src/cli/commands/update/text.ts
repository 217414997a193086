import { isRecord } from '../../../engine/base/value-checks.js';
import type { ValueDifference } from '../../../engine/base/value-differences.js';
import { visibleLine, visibleMessage, visibleText } from '../../../engine/base/visible-text.js';
import { singular } from '../../../engine/extension/item-kinds.js';
import { type ChangedFile, itemLabel } from '../../../engine/packages/compare-states.js';
import { type ChangedDependency, formatVersion } from '../../../engine/packages/dependencies.js';
import type { ItemState } from '../../../engine/packages/items.js';
import type { UpdatePlan, UpdateResult } from '../../../engine/packages/update.js';
import { isOlder } from '../../../engine/packages/version.js';
import {
  type ItemDifference,
  isVisibleToModel,
  uninspectedItems,
  type VersionDifference,
} from '../../../engine/packages/version-difference.js';
import type { SurfaceDifference } from '../../../engine/surface/model-surface.js';
import { failureData } from '../../shared/failure.js';
import { findingLines, findingsData } from '../../shared/text/findings.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';
import { changedPlaces, wholeCharacters } from './changed-places.js';

/** Renders the changes of an update, value by value. */
export function renderPlan({ before, drift, next }: UpdatePlan, options: ColorOption): string {
  const style = styleFor(options);
  const { name, version } = before.record;
  const drifted = drift.map((one) => `warning: ${name} is not what was added: ${visibleMessage(one)}.`);
  if (!next) return visibleText(joinLines(drifted));
  const head = `${name} ${version}${formatNextVersion(next.staged.record.version, version)}`;
  const paint = { '+': style.green, '-': style.red, '~': style.yellow, ' ': style.reset };
  const changes = listChangeLines(next.difference).map(([mark, line]) =>
    paint[mark](`  ${mark} ${visibleLine(line)}`),
  );
  const seen = isVisibleToModel(next.difference) ? [] : ['  Nothing that the model sees changes.'];
  const warnings = next.staged.warnings.map((warning) => `warning: ${visibleMessage(warning)}`);
  return [
    visibleText(joinLines(drifted)),
    `${style.bold(visibleLine(head))}\n`,
    joinLines([...changes, ...seen]),
    visibleText(joinLines(warnings)),
    joinLines(findingLines(next.findings.filter(({ severity }) => severity !== 'error'))),
  ].join('');
}

/** A package can change without a new version. */
function formatNextVersion(next: string, version: string): string {
  if (next === version) return ', other files';
  return ` → ${next}${isOlder(next, version) ? ', which is older' : ''}`;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

type ChangeLine = readonly ['+' | '-' | '~' | ' ', string];

function listChangeLines(difference: VersionDifference): readonly ChangeLine[] {
  const {
    added,
    removed,
    changed,
    files,
    packageJson,
    dependencies,
    exposures,
    permissions,
    origin = [],
    source,
  } = difference;
  return [
    ...[...exposures, ...permissions].map((sentence) => ['+', sentence] as const),
    ...origin.map((sentence) => ['~', sentence] as const),
    ...(source ? [['~', `It comes from ${source.after} now, not from ${source.before}.`] as const] : []),
    ...added.flatMap((item) => [
      ['+', itemLabel(item) + describeItem(item)] as const,
      ...visibleArgumentNames(item).map((line) => [' ', `  ${line}`] as const),
    ]),
    ...removed.map((item) => ['-', itemLabel(item)] as const),
    ...changed.flatMap(changedItems),
    ...(packageJson.length > 0 ? [['~', 'package.json'] as const] : []),
    ...packageJson.flatMap(valueLines).map((line) => [' ', `  ${line}`] as const),
    // Changes of `package.json` are listed by value above.
    ...limitChanges(files.filter(({ file }) => file !== 'package.json').map(fileChange), 'files'),
    ...dependencyChanges(dependencies),
  ];
}

/** Argument names of a tool or prompt. */
function visibleArgumentNames({ value = {} }: ItemState): readonly string[] {
  const said = value.arguments ?? value.parameters ?? value.input;
  const listed = isRecord(said) && isRecord(said.properties) ? said.properties : said;
  const entries = Array.isArray(listed) ? listed : isRecord(listed) ? Object.keys(listed) : [];
  const names = entries.map((entry) => {
    const name = isRecord(entry) ? entry.name : Array.isArray(entry) ? entry[0] : entry;
    return typeof name === 'string' ? name : 'one without a name';
  });
  return names.length === 0 ? [] : [`arguments: ${truncateValue(names.join(', '))}`];
}

function changedItems(item: ItemDifference): readonly ChangeLine[] {
  const { values, files, unread, problem } = item;
  return [
    ['~', itemLabel(item)],
    ...values.flatMap(valueLines).map((line) => [' ', `  ${line}`] as const),
    ...files.map((file) => [' ', `  ${file} has changed`] as const),
    ...(unread === false ? [] : [[' ', `  ${unreadLines[unread]}`] as const]),
    ...(problem === undefined ? [] : [[' ', `  It would be left out: ${problem}`] as const]),
  ];
}

const unreadLines = {
  definition: 'It is defined by code. Compare its values with --load.',
  text: 'Its text is made by code, and may be another one.',
} as const satisfies Record<Exclude<ItemDifference['unread'], false>, string>;

/** A changed value, in lines. */
export function valueLines({ path, before, after }: ValueDifference): readonly string[] {
  const key = path.join('.');
  const [one, other] = [formatEntryValue(before), formatEntryValue(after)];
  if (one.length <= maxInlineValueLength && other.length <= maxInlineValueLength)
    return [`${key}: ${one} → ${other}`];
  if (before === undefined || after === undefined)
    return [`${key}: ${truncateValue(one)} → ${truncateValue(other)}`];
  const places = changedPlaces(one, other);
  const [first] = places;
  if (places.length === 1) return [`${key}: ${first!.join(' → ')}`];
  const rest = places.length - maxPlaces;
  return [
    `${key}, changed in ${places.length} places:`,
    ...places.slice(0, maxPlaces).map((sides) => `  ${sides.join(' → ')}`),
    ...(rest > 0 ? [`  and in ${rest} more places`] : []),
  ];
}

function formatEntryValue(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

/** Longest value that is shown in full, in characters. Of longer ones, only the changed ranges are shown. */
const maxInlineValueLength = 200;

/** Number of changed ranges shown per value. */
const maxPlaces = 20;

/** Cuts a long text and states how many characters are hidden. */
function truncateValue(text: string): string {
  const hidden = text.length - maxCutLength;
  return hidden > 0
    ? `${wholeCharacters(text.slice(0, maxCutLength))}… (${hidden} more characters are not shown)`
    : text;
}

const maxCutLength = 2000;

function describeItem({ value, problem, isCode }: ItemState): string {
  if (problem !== undefined) return `, which is unavailable: ${problem}`;
  if (isCode && value === undefined) return ', which is defined by code; compare its values with --load';
  return typeof value?.description === 'string'
    ? `: ${truncateValue(value.description.replaceAll('\n', ' '))}`
    : '';
}

function fileChange({ file, change }: ChangedFile): ChangeLine {
  const marks = { new: '+', gone: '-', changed: '~' } as const;
  return [marks[change], file];
}

/** Extensions are always listed, since the model may see their declarations. */
function dependencyChanges(dependencies: readonly ChangedDependency[]): readonly ChangeLine[] {
  const isExtension = ({ before, after }: ChangedDependency) => before?.isExtension || after?.isExtension;
  const others = dependencies.filter((one) => !isExtension(one)).map(dependencyChange);
  const extensions = dependencies.filter(isExtension).map(dependencyChange);
  return [
    ...extensions.map(([mark, line]): ChangeLine => [mark, `${line}, an extension`]),
    ...limitChanges(others, 'dependencies'),
  ];
}

function dependencyChange({ name, before, after }: ChangedDependency): ChangeLine {
  const what = `dependency ${name}`;
  if (!before) return ['+', `${what} ${formatVersion(after)}`];
  if (!after) return ['-', `${what} ${formatVersion(before)}`];
  return [
    '~',
    `${what} ${formatVersion(before)}${formatNextVersion(formatVersion(after), formatVersion(before))}`,
  ];
}

/** Number of files or dependencies listed; further ones are only counted. */
const maxShown = 10;

function limitChanges(changes: readonly ChangeLine[], what: string): readonly ChangeLine[] {
  const rest = changes.length - maxShown;
  return [...changes.slice(0, maxShown), ...(rest > 0 ? [[' ', `and ${rest} more ${what}`] as const] : [])];
}

/** Outcome of an update, in one line. */
export function updateLine({ plan, state, error }: UpdateResult): string {
  const { name, version } = plan.before.record;
  const next = plan.next?.staged.record.version;
  const what = {
    current: () => `${name} ${version} is the newest${formatAllowedRange(plan)}.`,
    available: () => `${name} ${next} is available. Run: agenttools update ${name}`,
    updated: () =>
      next !== undefined && isOlder(next, version)
        ? `Took ${name} back from ${version} to ${next}.`
        : `Updated ${name} ${next === version ? version : `from ${version} to ${next}`}.`,
    declined: () => `${name} stays at ${version}.`,
    held: () =>
      `error: ${name} stays at ${version}, because ${reasonToHold(plan)} If that is right: agenttools update ${name} --yes`,
    failed: () => `error: ${name} stays at ${version}: ${error?.message}`,
  } satisfies Record<UpdateResult['state'], () => string>;
  return visibleText(`${what[state]()}\n`);
}

/** Reason to hold an update: the known changes for the model, and how to inspect the unknown ones. */
function reasonToHold({ next }: UpdatePlan): string {
  const { difference } = next!;
  const { exposures, permissions, origin } = difference;
  const unread = uninspectedItems(difference);
  const isKnown = isVisibleToModel({
    ...difference,
    changed: difference.changed.filter((one) => !unread.includes(one)),
  });
  if (exposures.length > 0) return 'values of your environment would go elsewhere.';
  if (permissions.length > 0) return 'its code could do more in its sandbox.';
  if (origin && origin.length > 0) return 'it has another publisher or build.';
  if (!isVisibleToModel(difference)) return 'its install scripts have changed.';
  if (!isKnown) return `the model might see something else: ${describeUnread(unread)}`;
  const { added, removed, changed, dependencies, source } = difference;
  const isOnlySource = added.length + removed.length + changed.length + dependencies.length === 0;
  return source && isOnlySource ? 'it comes from elsewhere.' : 'the model would see something else.';
}

function describeUnread(items: readonly ItemDifference[]): string {
  const defined = items.filter(({ unread }) => unread === 'definition').map(itemLabel);
  const written = items.filter(({ unread }) => unread === 'text').map(itemLabel);
  const reasons = [
    ...(written.length > 0 ? [`the text of ${summarizeNames(written)} made by code`] : []),
    ...(defined.length > 0 ? [`${summarizeNames(defined)} defined by code`] : []),
  ];
  const wayOut = defined.length > 0 ? ' Compare its values with --load.' : '';
  return `${reasons.join(', and ')}, which was not run.${wayOut}`;
}

function summarizeNames(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]} is` : `${names[0]} and ${names.length - 1} more are`;
}

function formatAllowedRange({ before }: UpdatePlan): string {
  const { kind, wanted } = before.record.wanted;
  if (kind !== 'registry') return ` at ${wanted}`;
  return wanted === 'latest' ? '' : ` that "${wanted}" allows`;
}

/** Outcome for one server. `held`: it has changed, and no user could confirm it. */
export interface SurfaceOutcome {
  readonly server: string;
  readonly state: 'unchanged' | 'changed' | 'recorded' | 'declined' | 'held' | 'failed';
  readonly changes: readonly SurfaceDifference[] | undefined;
  /** Faults of its texts that models read, as JSON. */
  readonly findings?: readonly object[];
  readonly error?: string;
}

/** JSON output of `update`. */
export function updateData(
  { plan, state, error }: UpdateResult,
  surfaces: readonly SurfaceOutcome[],
): object {
  const { before, drift, next } = plan;
  const { name, version: previous } = before.record;
  return {
    name,
    previous,
    version: next?.staged.record.version ?? previous,
    state,
    drift,
    ...(next && { seen: isVisibleToModel(next.difference), changes: changesData(next.difference) }),
    ...(next && findingsData(next.findings)),
    ...(error && { error: failureData(error) }),
    ...(surfaces.length > 0 && { surfaces: surfaces.map(surfaceData) }),
  };
}

function surfaceData({ changes = [], ...outcome }: SurfaceOutcome): object {
  const changed = changes.map(({ values, ...change }) => ({ ...change, values: values.map(valueData) }));
  return { ...outcome, changes: changed };
}

function changesData(difference: VersionDifference): object {
  const { added, removed, changed, files, packageJson, dependencies } = difference;
  const { exposures, permissions, origin, source } = difference;
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
    packageJson: packageJson.map(valueData),
    ...(exposures.length > 0 && { exposures }),
    ...(permissions.length > 0 && { permissions }),
    ...(origin && { origin }),
    dependencies: dependencies.map(({ name, before, after }) => ({
      name,
      ...(before && { before: before.version }),
      ...(after && { after: after.version }),
    })),
    ...(source && { source }),
  };
}

/** Omits undefined, which JSON lacks. */
function valueData({ path, before, after }: ValueDifference): object {
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}
