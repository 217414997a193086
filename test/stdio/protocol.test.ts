import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  alwaysSkipped,
  clientRuns,
  httpDuties,
  packages,
  runs,
  unclaimedExtensions,
} from '../conformance/runs.mjs';
import { writePackage } from '../support/packages.js';
import { fixture, type Message, type Program, root } from '../support/program.js';
import { serveHere } from '../support/serving-here.js';
import { legacy, modern } from './support/messages.js';

const page = readFileSync(path.join(root, 'docs/protocol.md'), 'utf8');

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

type Row = Readonly<Record<string, string>>;

/** The rows of the table below a heading, by the words of its first line. */
function rowsOf(heading: string): Row[] {
  const [, text = ''] = page.split(`## ${heading}\n`);
  const lines = text
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const cells = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  const [head = [], , ...rows] = cells;
  return rows.map((row) => Object.fromEntries(row.map((cell, column) => [head[column], cell])));
}

const named = (cell = ''): string => cell.replaceAll('`', '');

/** The methods of the official schemas, with their revisions. What 2026-07-28 asks for is part of results. */
function methodsOf(...sides: readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const revision of revisions) {
    const file = path.join(root, `test/support/mcp-schemas/${revision}.json.gz`);
    const schema: Message = JSON.parse(gunzipSync(readFileSync(file)).toString());
    const definitions = schema.$defs ?? schema.definitions;
    for (const side of sides.filter((name) => name in definitions)) {
      for (const one of definitions[side].anyOf ?? [definitions[side]]) {
        const { properties } = one.$ref ? definitions[one.$ref.split('/').at(-1)] : one;
        const method = properties.method.const;
        found.set(method, (found.get(method) ?? new Set()).add(revision));
      }
    }
  }
  return found;
}

const tables = {
  'Requests from clients': methodsOf('ClientRequest'),
  'Notifications from clients': methodsOf('ClientNotification'),
  'Requests from servers': methodsOf('ServerRequest', 'InputRequest'),
  'Notifications from servers': methodsOf('ServerNotification'),
};

describe.each(Object.entries(tables))('%s', (heading, methods) => {
  test('has a row for every method of the protocol, by revision', () => {
    const rows = rowsOf(heading);
    expect(rows.map(({ method }) => named(method)).toSorted()).toEqual([...methods.keys()].toSorted());
    for (const row of rows) {
      const had = revisions.filter((revision) => row[revision] !== '–');
      expect(had, row.method).toEqual([...methods.get(named(row.method))!]);
    }
  });
});

test('every row names a test that is there, and speaks of it', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('|') && line.includes('test/'));
  expect(rows.length).toBeGreaterThan(50);
  for (const row of rows) {
    const file = path.join(root, /`(test\/\S+)`/.exec(row)![1]!);
    expect(existsSync(file), row).toBe(true);
    const [, method] = /^\| `((?:[a-z]+\/)+[a-zA-Z_]+)`/.exec(row) ?? [];
    const isHere = file.endsWith('protocol.test.ts');
    if (method && !isHere) expect(readFileSync(file, 'utf8').includes(method), row).toBe(true);
  }
});

/** Params that a method takes; none where that is enough. */
const params: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  'tools/call': { name: 'test_simple_text' },
  'prompts/get': { name: 'test_simple_prompt' },
  'resources/read': { uri: 'test://static-text' },
  'resources/subscribe': { uri: 'test://watched-resource' },
  'resources/unsubscribe': { uri: 'test://watched-resource' },
  'completion/complete': {
    ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 't' },
  },
  'logging/setLevel': { level: 'info' },
  'tasks/get': { taskId: 'x' },
  'tasks/result': { taskId: 'x' },
  'tasks/cancel': { taskId: 'x' },
  'subscriptions/listen': { notifications: { toolsListChanged: true } },
};

const withApp = writePackage(
  { tools: ['show'], apps: ['card'] },
  {
    'agenttools/tools/show.json': {
      description: 'Shows.',
      handler: './show.js',
      ui: 'card',
      task: 'optional',
    },
    'skills/showing/SKILL.md': '---\nname: showing\ndescription: How to show.\n---\nShow it.\n',
    'agenttools/apps/card.html': '<!doctype html><title>Card</title>',
    'show.js': 'export default () => "shown";',
  },
);

describe.concurrent.each(revisions)('a server asked in the manner of %s', (revision) => {
  const isModern = revision === '2026-07-28';

  async function open(): Promise<Program> {
    const program = serveHere(fixture('conformance'));
    if (!isModern) await program.initialize(revision);
    return program;
  }

  test('answers the methods of the table, and no others', async () => {
    const program = await open();
    const added = rowsOf('Methods of extensions').filter((row) => row[revision] === 'yes');
    const inExtensions = added.map(({ method }) => named(method));
    for (const row of rowsOf('Requests from clients')) {
      const method = named(row.method);
      const id = program.freshId();
      program.send((isModern ? modern : legacy)(id, method, params[method] as never));
      const answer = await program.take(
        ({ id: answered, params: told }) =>
          answered === id || told?._meta?.['io.modelcontextprotocol/subscriptionId'] === id,
        `something about ${method}`,
      );
      if (row[revision] === 'yes') expect(answer.error, method).toBeUndefined();
      // What an extension says by the same name is for clients that know it.
      else expect(answer.error?.code, method).toBe(inExtensions.includes(method) ? -32021 : -32601);
    }
    await program.end();
  });

  test('declares only extensions of the table', async () => {
    const capable = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      },
    };
    const program = serveHere(withApp);
    const { capabilities } = isModern
      ? (await program.ask(modern(1, 'server/discover', { _meta: capable }))).result
      : await program.initialize(revision, capable['io.modelcontextprotocol/clientCapabilities']);
    const told = rowsOf('Extensions').filter((row) => row[revision] === 'yes');
    expect(Object.keys(capabilities.extensions)).toEqual(told.map(({ extension }) => named(extension)));
    await program.end();
  });
});

describe('the page on the official suite', () => {
  test('has every run', () => {
    const version = (spec: string) => spec.slice(spec.lastIndexOf('@') + 1);
    expect(rowsOf('The official suite').slice(0, runs.length)).toEqual(
      runs.map(({ name, suite, scenarios }) => ({
        run: name,
        suite: version(packages[suite]),
        scenarios: `${scenarios}`,
      })),
    );
  });

  test('names all client runs with their scenarios', () => {
    for (const { name, checks } of clientRuns) {
      const { length } = Object.keys(checks);
      const others = name.includes('requirements') ? Object.keys(unclaimedExtensions).length : 0;
      expect(page).toContain(`| ${name} | 0.2.0-alpha.12 | ${length + others} |`);
    }
  });

  test('names what is skipped and left out', () => {
    for (const name of Object.keys({ ...alwaysSkipped, ...httpDuties, ...unclaimedExtensions })) {
      expect(page).toContain(`\`${name}\``);
    }
  });
});
