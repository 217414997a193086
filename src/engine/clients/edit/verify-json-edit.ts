import type { EditStep } from './editor.js';
import { type JsonNode, parseJson, readJson } from './json-source.js';
import { sameValue } from './merge-entry.js';
import { changedRange, cutUnchanged, type EditedTexts, isLong, type TextRange } from './splice.js';

/**
 * True if a text differs from an earlier one by the steps only.
 * @throws ConfigError if a text is malformed.
 */
export function isJsonChangedBy(steps: readonly EditStep[], texts: EditedTexts): boolean {
  const { before, after } = withoutEqualMembers(steps, texts);
  return isNodeChangedBy(steps, parseJson(before).root, parseJson(after).root);
}

/** In a long text, a map with more members is checked in part. */
const manyMembers = 8;

/**
 * Cuts members that lie before or after the change out of both texts, since the rest of a large file takes long. A parser is
 * in the same state before each member of a map. So if both texts are valid without equal members, they are valid with them, and
 * the members have equal values.
 */
function withoutEqualMembers(steps: readonly EditStep[], { before, after }: EditedTexts): EditedTexts {
  if (!isLong(before)) return { before, after };
  const { offset, end } = changedRange({ before, after });
  const cuts: TextRange[] = [];
  let node = readJson(before).root;
  for (const [depth, step] of (steps.at(-1)?.path ?? []).entries()) {
    if (node?.type !== 'object') break;
    const members = node.children;
    const keys = new Set(steps.map(({ path }) => path[depth]));
    const cut = (first: number, next: number) => {
      const isEqual = next > first && members.slice(first, next).every(({ key }) => !keys.has(key));
      if (isEqual) cuts.push([members[first]!.offset, members[next]!.offset]);
    };
    if (members.length > manyMembers) {
      const late = members.findIndex((member) => member.offset >= end);
      cut(
        0,
        members.findLastIndex((member) => member.offset <= offset),
      );
      if (late !== -1) cut(late, members.length - 1);
    }
    node = node.find(step);
  }
  return cutUnchanged({ before, after }, cuts);
}

/** Values outside the steps must have the same text. */
function isNodeChangedBy(
  steps: readonly EditStep[],
  before: JsonNode | undefined,
  after: JsonNode | undefined,
): boolean {
  const whole = steps.findLast(({ path }) => path.length === 0);
  if (whole) return sameValue(after?.data, whole.value);
  if (!after || !['array', 'object'].includes(after.type)) return false;
  if (before && before.type !== 'null' && before.type !== after.type) return false;

  const inner = new Map<string | number, EditStep[]>();
  for (const { path, ...step } of steps) {
    const [first, ...rest] = path;
    inner.set(first!, [...(inner.get(first!) ?? []), { ...step, path: rest }]);
  }
  const isRemoved = (held: readonly EditStep[] | undefined) =>
    held?.some(({ path, value }) => path.length === 0 && value === undefined) === true;
  const stepsFor = (member: JsonNode, index: number) =>
    inner.get(after.type === 'object' ? member.key : index);
  const others = (before?.children ?? []).filter((member, index) => !stepsFor(member, index));
  const otherMembers = after.children.filter((member, index) => {
    const held = stepsFor(member, index);
    return !held || isRemoved(held);
  });
  return (
    others.length === otherMembers.length &&
    others.every((member, index) => member.text === otherMembers[index]!.text) &&
    [...inner].every(
      ([key, held]) => isRemoved(held) || isNodeChangedBy(held, before?.find(key), after.find(key)),
    )
  );
}
