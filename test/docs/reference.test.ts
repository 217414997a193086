import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/engine/extension/definition-files.js';
import { publishedSchemas } from '../../src/engine/extension/json-schemas.js';
import { manifestKeyNames, translate } from '../../src/engine/extension/key-spellings.js';
import { commonOptions, optionChecks } from '../../src/engine/schema/field-options.js';
import type { ToolContext } from '../../src/index.js';
import * as authoring from '../../src/index.js';
import { pages } from './support/pages.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the tables are complete', () => {
  test('lists the API of the bridge', () => {
    const source = readFileSync(path.join(root, 'src/apps/bridge.js'), 'utf8');
    const handlers = [...new Set(source.match(/\bon\.on[A-Z]\w+/g))].map((name) => name.slice(3));
    const text = section('apps', 'The bridge');
    const untold = handlers.filter((name) => !text.includes(`\`${name}\``));
    expect(untold).toEqual([]);
    const [, list = ''] = /@returns the app: (.*?), each described/s.exec(source) ?? [];
    const members = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    expect(members.length).toBeGreaterThan(10);
    expect(members.filter((name) => !new RegExp(`\`${name}\\b`).test(text))).toEqual([]);
  });

  test('the manifest', () => {
    const told = namesInTable(section('extension-format', 'The manifest'));
    expect(told.toSorted()).toEqual([...manifestKeyNames, 'x-…'].toSorted());
  });

  test('fields', () => {
    const text = section('schemas', 'Field specs');
    const options = [...commonOptions, ...Object.keys(optionChecks), 'values', 'fields', 'items'];
    expect(options.filter((option) => !text.includes(`\`${option}\``))).toEqual([]);
  });

  test('ctx', () => {
    // A record, so that a new member is missed by the compiler.
    const members = {
      signal: 1,
      progress: 1,
      log: 1,
      options: 1,
      client: 1,
      can: 1,
      ui: 1,
      registry: 1,
      callTool: 1,
      elicit: 1,
      elicitUrl: 1,
      step: 1,
      sample: 1,
      roots: 1,
      root: 1,
      session: 1,
      auth: 1,
      meta: 1,
      notifyChanged: 1,
      notifyResourceUpdated: 1,
      closeStream: 1,
      beginTask: 1,
      locals: 1,
      protocolVersion: 1,
      requestId: 1,
      server: 1,
      tool: 1,
      arguments: 1,
    } satisfies Record<keyof ToolContext, unknown>;
    const firstCells = rows(section('authoring', 'ctx')).map(([cell = '']) => /^`(\w+)/.exec(cell)?.[1]);
    expect(firstCells).toEqual(Object.keys(members));
  });

  test('lists the exports', () => {
    const types = readFileSync(path.join(root, 'src/index.ts'), 'utf8').matchAll(
      /(?:type|as) ([A-Z]\w+)(?:,| )/g,
    );
    const names = [...Object.keys(authoring), ...[...types].map(([, name]) => name!)].filter(
      (name) => name !== 'Context',
    );
    expect(names).toContain('ToolContext');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages.authoring!))).toEqual([]);
  });

  test('the schemas for editors', () => {
    const told = namesInTable(section('extension-format', 'Help from your editor'));
    expect(told.toSorted()).toEqual(Object.keys(publishedSchemas()).toSorted());
  });

  test('the endings of definition files, the one that counts first', () => {
    const endings = formats.map(({ extension }) => `\`${extension}\``).join(', ');
    expect(pages['extension-format']).toContain(endings);
  });
});

describe('spellings of Wolfram paclets', () => {
  const table = rows(section('extension-format', 'Coming from Wolfram paclets')).map(
    ([place = '', theirs = '', ours = '']) => ({
      place,
      theirs: codeIn(theirs),
      ours: codeIn(ours)[0]!,
    }),
  );
  const places = {
    manifest: 'manifest',
    declaration: 'declaration',
    tool: 'tools',
    prompt: 'prompts',
    resource: 'resources',
    server: 'servers',
  } as const;

  test.each(table)('accepts $theirs of $place as $ours', ({ place, theirs, ours }) => {
    for (const key of theirs) {
      const { value, faults } =
        place === 'LLMEvaluator'
          ? translate({ LLMEvaluator: { [key]: {} } }, 'servers')
          : translate({ [key]: {} }, places[place as keyof typeof places]);
      expect(Object.keys(value)).toEqual([ours]);
      expect(faults).toEqual([]);
    }
  });

  test('are all in the table', () => {
    // The table in code is nobody else's business, so it is read as text.
    const source = readFileSync(path.join(root, 'src/engine/extension/key-spellings.ts'), 'utf8');
    const [keys = ''] = source.split('const shownSpellings');
    const known = [...keys.matchAll(/theirs: \[(.*?)\],\s+ours: '(\w+)'/g)].map(
      ([, theirs = '', ours]) => `${theirs.replaceAll("'", '')}: ${ours}`,
    );
    expect(known.length).toBeGreaterThan(10);
    expect(new Set(table.map(({ theirs, ours }) => `${theirs.join(', ')}: ${ours}`))).toEqual(new Set(known));
  });
});

describe('links lead somewhere', () => {
  const links = Object.entries(pages).flatMap(([page, text]) =>
    [...withoutExamples(text).matchAll(/\]\((?!https?:)([^)]*)\)/g)].map(([, target = '']) => ({
      page,
      target,
    })),
  );

  test.each(links)('$page: $target', ({ page, target }) => {
    const [file = '', anchor] = target.split('#');
    const found = path.join(root, 'docs', file === '' ? `${page}.md` : file);
    expect(existsSync(found)).toBe(true);
    if (anchor === undefined) return;
    const headings = [...readFileSync(found, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      slug(heading!),
    );
    expect(headings).toContain(anchor);
  });
});

function withoutExamples(text: string): string {
  return text.replace(/^```.*?^```$/gms, '');
}

/** What stands below a heading, up to the next one of its level. */
function section(page: string, heading: string): string {
  const [, marks = '', body = ''] = new RegExp(`^(#+) ${heading}$(.*)`, 'ms').exec(pages[page] ?? '') ?? [];
  const end = new RegExp(`^#{1,${marks.length}} `, 'm').exec(body);
  return body.slice(0, end?.index);
}

/** The cells of the first table of a text, without its head. */
function rows(text: string): readonly string[][] {
  const [table = ''] = /(?:^\|.*\n)+/m.exec(text) ?? [];
  const lines = table.trim().split('\n').slice(2);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

function namesInTable(text: string): readonly string[] {
  return rows(text).flatMap(([cell = '']) => codeIn(cell));
}

/** As GitHub makes anchors of headings. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
