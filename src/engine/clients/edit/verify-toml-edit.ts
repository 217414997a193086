import { isDataChangedBy } from './config-path.js';
import type { ConfigPath, EditStep } from './editor.js';
import { changedRange, cutUnchanged, type EditedTexts, isLong, type TextRange } from './splice.js';
import { sameData } from './toml-data.js';
import { parseToml, readToml, type TomlSection, type TomlSource } from './toml-source.js';

/** A long file with more tables beside the changed one is checked in part. */
const manyTables = 8;

/** True if the data of the edited text are among the expected ones. `expect` returns these from the data before the edit. */
export function isTomlEdited(
  path: ConfigPath,
  texts: EditedTexts,
  expect: (data: unknown) => readonly unknown[],
): boolean {
  const { before, after } = readPair(path, texts);
  return expect(before).some((right) => sameData(after ?? {}, right));
}

/** True if a text differs from an earlier one by the steps only. @throws ConfigError if a text is malformed. */
export function isTomlChangedBy(steps: readonly EditStep[], texts: EditedTexts): boolean {
  const { before, after } = readPair(steps.length === 1 ? steps[0]!.path : [], texts);
  return isDataChangedBy(steps, before, after);
}

/** Data of both texts, in part if they are long. */
function readPair(
  path: ConfigPath,
  texts: EditedTexts,
): { readonly before: unknown; readonly after: unknown } {
  const source = readToml(texts.before);
  const part = withoutEqualTables(source, path, texts);
  if (part === texts) return { before: source.data, after: readToml(texts.after).data };
  return { before: parseToml(part.before).data, after: parseToml(part.after).data };
}

/**
 * Cuts tables beside the changed one out of both texts, since the rest of a large file takes long. They lie before or after the
 * change. A parser is in the same state before each header, and tables with different keys do not affect each other. So if both
 * texts are valid without these tables, they are valid with them, and the tables have equal values. The tables next to the
 * change remain, and so does the first one: it shows in which form their parent is written.
 */
function withoutEqualTables({ sections }: TomlSource, path: ConfigPath, texts: EditedTexts): EditedTexts {
  if (!isLong(texts.before)) return texts;
  const isBeside = (section: TomlSection) => {
    const depth = section.path.findIndex((key, index) => key !== path[index]);
    return depth !== -1 && depth < path.length && section.path.every((key) => typeof key === 'string');
  };
  const { offset, end } = changedRange(texts);
  const early = sections.findLastIndex(({ start }) => start <= offset);
  const late = sections.findIndex(({ start, header }) => header && start >= end);
  const ranges: TextRange[] = [];
  let count = 0;
  for (let index = sections.findIndex(isBeside) + 1; index > 0 && index < sections.length - 1; index++) {
    const isUnchanged = index < early - 1 || (late !== -1 && index > late);
    if (!isUnchanged || !isBeside(sections[index]!)) continue;
    const [from, to] = [sections[index]!.start, sections[index + 1]!.start];
    const last = ranges.at(-1);
    if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], to];
    else ranges.push([from, to]);
    count++;
  }
  return count > manyTables ? cutUnchanged(texts, ranges) : texts;
}
