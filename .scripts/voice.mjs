// Checks the wording of comments, messages, test titles and docs against the patterns of voice.json.
//
//   node .scripts/voice.mjs              fails if a file has more matches than voice-limits.json allows
//   node .scripts/voice.mjs --lower      writes the present counts into voice-limits.json; never raises one
//   node .scripts/voice.mjs --counts     prints the matches of each pattern by kind of text
//   node .scripts/voice.mjs <file>…      prints all matches in these files
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';

const root = fileURLToPath(new URL('..', import.meta.url));
const limitsFile = path.join(root, '.scripts/voice-limits.json');
const read = (file) => readFileSync(path.join(root, file), 'utf8');

const kinds = ['comments', 'docs', 'strings', 'titles'];
const patterns = JSON.parse(read('.scripts/voice.json')).map((row) => ({
  ...row,
  kinds: row.in ?? kinds,
  regex: new RegExp(row.pattern, `g${row.flags ?? 'i'}`),
}));

/** Texts of a file: `{ kind, text, start }`, where `start` is the offset of the text in the file. */
function textsOf(file, source) {
  if (file.endsWith('.md')) return paragraphsOf(source);
  return file.startsWith('test/')
    ? titlesOf(file, source)
    : [...commentsOf(file, source), ...stringsOf(file, source)];
}

/** Paragraphs, headings, list items and table rows. Code is blanked out. */
function paragraphsOf(source) {
  const blank = (code) => code.replace(/[^\n]/g, ' ');
  const prose = source.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank).replace(/`[^`\n]+`/g, blank);
  return [...prose.matchAll(/\S[^\n]*/g)].map((match) => {
    const marker = /^(?:[#>*-]+|\d+\.|\|)\s*/.exec(match[0])?.[0] ?? '';
    const isContinued = marker === '' && /\S[ \t]*\n[ \t]*$/.test(prose.slice(0, match.index));
    const start = match.index + marker.length - Number(isContinued);
    return { kind: 'docs', text: prose.slice(start, match.index + match[0].length), start };
  });
}

function parse(file, source) {
  return ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
}

function commentsOf(file, source) {
  const tree = parse(file, source);
  const found = new Map();
  const add = (ranges) => {
    for (const { pos, end } of ranges ?? []) found.set(pos, end);
  };
  const visit = (node) => {
    add(ts.getLeadingCommentRanges(source, node.getFullStart()));
    add(ts.getTrailingCommentRanges(source, node.getEnd()));
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return joined(
    [...found].sort(([first], [second]) => first - second),
    source,
  ).map(([start, end]) => {
    const whole = source.slice(start, end);
    const opening = /^\/[*/]+\s*/.exec(whole)[0].length;
    const text = whole
      .slice(opening)
      .replace(/^[ \t]*(?:\*\/?|\/\/)/gm, (marker) => ' '.repeat(marker.length));
    return { kind: 'comments', text, start: start + opening };
  });
}

/** Line comments below each other are one text. */
function joined(ranges, source) {
  const texts = [];
  for (const [start, end] of ranges) {
    const last = texts.at(-1);
    const isNext = last && source.startsWith('//', start) && /^\n[ \t]*$/.test(source.slice(last[1], start));
    if (isNext && source.startsWith('//', last[0])) last[1] = end;
    else texts.push([start, end]);
  }
  return texts;
}

/** String and template literals of two or more words, except import paths. */
function stringsOf(file, source) {
  const tree = parse(file, source);
  const texts = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node);
    if (isText && /\w\W+\w/.test(node.text)) {
      const kind = ts.isTemplateMiddle(node) || ts.isTemplateTail(node) ? ' ' : '';
      texts.push({ kind: 'strings', text: kind + node.text, start: node.getStart(tree) + 1 - kind.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

/** First arguments of `describe`, `it` and `test`, with `.each` and the like. */
function titlesOf(file, source) {
  const tree = parse(file, source);
  const texts = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && /^(?:describe\w*|it|test)\b/.test(node.expression.getText(tree))) {
      const [title] = node.arguments;
      if (title && ts.isStringLiteralLike(title))
        texts.push({ kind: 'titles', text: title.text, start: title.getStart(tree) + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

/** Matches of the patterns in the text of a file: `{ name, kind, place, words, write }`. */
export function findMatches(file, source) {
  return textsOf(file, source).flatMap(({ kind, text, start }) =>
    patterns
      .filter(({ kinds }) => kinds.includes(kind))
      .flatMap(({ name, regex, write }) =>
        [...text.matchAll(regex)].map((match) => {
          const before = source.slice(0, start + match.index).split('\n');
          const place = `${file}:${before.length}:${before.at(-1).length + 1}`;
          return { name, kind, place, words: match[0], write };
        }),
      ),
  );
}

const matchesIn = (file) => findMatches(file, read(file));

const isChecked = (file) =>
  /^src\/.*\.(?:ts|js)$/.test(file) ||
  /^test\/.*\.test\.ts$/.test(file) ||
  /^(?:docs\/.*|src\/|)[^/]*\.md$/.test(file);

/** Tracked files, and new ones that are not ignored. */
function checkedFiles() {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return [...new Set(list.split('\n'))].filter((file) => isChecked(file) && existing(file)).sort();
}

function existing(file) {
  try {
    return read(file) !== undefined;
  } catch {
    return false;
  }
}

function countsOf(matches) {
  const counts = {};
  for (const { name } of matches) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const line = ({ place, words, name, write }) => `${place} "${words}" (${name}). Write: ${write}.`;

function check(limits) {
  const excess = checkedFiles().flatMap((file) => {
    const matches = matchesIn(file);
    return Object.entries(countsOf(matches)).flatMap(([name, count]) => {
      const limit = limits[file]?.[name] ?? 0;
      if (count <= limit) return [];
      const shown = matches.filter((match) => match.name === name).map(line);
      return [`${file}: ${count} × ${name}, at most ${limit}.`, ...shown.map((text) => `  ${text}`)];
    });
  });
  if (excess.length === 0) return;
  process.stdout.write(`${excess.join('\n')}\n`);
  process.exitCode = 1;
}

function lower(limits) {
  const lowered = {};
  for (const file of checkedFiles()) {
    const counts = Object.entries(countsOf(matchesIn(file))).map(([name, count]) => [
      name,
      Math.min(count, limits[file]?.[name] ?? 0),
    ]);
    const kept = counts.filter(([, count]) => count > 0).sort();
    if (kept.length > 0) lowered[file] = Object.fromEntries(kept);
  }
  const lines = Object.entries(lowered).map(
    ([file, counts]) => `  ${JSON.stringify(file)}: ${JSON.stringify(counts)}`,
  );
  writeFileSync(limitsFile, `{\n${lines.join(',\n')}\n}\n`);
}

function printCounts() {
  const matches = checkedFiles().flatMap(matchesIn);
  for (const { name, kinds: counted } of patterns) {
    const cells = kinds.map((kind) => {
      const count = matches.filter((match) => match.name === name && match.kind === kind).length;
      return (counted.includes(kind) ? String(count) : '–').padStart(9);
    });
    process.stdout.write(`${name.padEnd(28)}${cells.join('')}\n`);
  }
}

function main([first, ...others]) {
  const limits = existing('.scripts/voice-limits.json') ? JSON.parse(read('.scripts/voice-limits.json')) : {};
  if (first === undefined) check(limits);
  else if (first === '--lower') lower(limits);
  else if (first === '--counts') printCounts();
  else for (const match of [first, ...others].flatMap(matchesIn)) process.stdout.write(`${line(match)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
