import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseDocument } from '../../src/engine/base/files/document.js';
import { composeServer, type ServerSpec } from '../../src/engine/runtime/compose-server.js';
import type { Context } from '../../src/engine/runtime/context.js';
import { noInputSource } from '../../src/engine/runtime/input-required.js';
import type { ToolSpec } from '../../src/engine/runtime/specs.js';
import { uiMeta } from '../../src/engine/runtime/ui.js';
import { callOnce } from '../../src/engine/serve/call-once.js';
import { leftOutLine } from '../../src/engine/server/server-resolver.js';
import { type ValidateOptions, validateExtension } from '../../src/engine/validate/validate.js';
import { optionsFor } from '../engine/validate/support/validating.js';
import { openWorkspace } from '../support/packages.js';
import { root as repository } from '../support/program.js';
import {
  type ExamplePackage,
  examplePackages,
  typeErrors,
  writeExamples,
} from './support/example-packages.js';
import { type Block, blocks, pages } from './support/pages.js';

const packages = examplePackages(blocks);
let root: string;
const builtinFolder = path.join(repository, 'src/builtin');

beforeAll(async () => {
  root = await writeExamples(packages);
}, 30_000);

test('has a language and a kind for every code example, so that tests run it', () => {
  const code = new Set(['js', 'ts', 'json', 'jsonc']);
  const loose = blocks.filter(({ language, words }) => code.has(language) && Object.keys(words).length === 0);
  expect(loose.map(({ page, line }) => `${page}.md:${line}`)).toEqual([]);
});

test('has the name of each file above its example', () => {
  const unnamed = blocks.filter(({ page, line, words }) => {
    const name = fileOf(words);
    const above = pages[page]!.split('\n').slice(line - 3, line - 1);
    return name !== undefined && !(above[0]!.startsWith(`**\`${name}\`**`) && above[1] === '');
  });
  expect(unnamed.map(({ page, line }) => `${page}.md:${line}`)).toEqual([]);
});

/** The file that a block shows. */
function fileOf({
  file,
  deploy,
  repository: shared,
  program,
  workflow,
  set,
}: Block['words']): string | undefined {
  if (workflow !== undefined) return `.github/workflows/${workflow}.yml`;
  return file ?? deploy ?? shared ?? program ?? (set === undefined ? undefined : 'agenttools.json');
}

test('the TypeScript of the pages compiles', async () => expect(await typeErrors(root)).toBe(''), 60_000);

describe.each(packages)('$page: the package $name', ({ page, name, files, claims }: ExamplePackage) => {
  const directory = () => path.join(root, page, name);
  const leftOut = claims.find(({ words }) => 'left-out' in words);

  async function compose(server: string | undefined): Promise<ServerSpec> {
    const workspace = openWorkspace({ cwd: root, builtinFolder });
    return await composeServer(await workspace.findServer(path.join(directory(), server ?? '')), workspace);
  }

  test('its data files are well formed', async () => {
    for (const [file, text] of Object.entries(files)) {
      if (/\.jsonc?$/.test(file)) await expect(parseDocument(text, file)).resolves.toBeDefined();
    }
  });

  test(leftOut ? 'its bad item is an error' : 'it validates without errors', async () => {
    const workspace: ValidateOptions['workspace'] = (loadCode) =>
      openWorkspace({ cwd: root, builtinFolder, loadCode });
    const { diagnostics } = await validateExtension(directory(), optionsFor({ workspace }));
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    if (leftOut) expect(errors).not.toEqual([]);
    else expect(errors).toEqual([]);
  }, 30_000);

  const servers = [...new Set(claims.map(({ words }) => words.server))];
  test('has complete servers, except for the omissions that the page prints', async () => {
    for (const server of servers.length > 0 ? servers : [undefined]) {
      const spec = await compose(server);
      const lines = await Promise.all(spec.leftOut.map(leftOutLine));
      expect(lines.map((line) => `${line}\n`).join('')).toBe(leftOut?.text ?? '');
    }
  });

  for (const claim of claims.filter(({ words }) => !('left-out' in words))) {
    const { line, words } = claim;
    const what = ['lists', 'call', 'get', 'read'].find((word) => word in words)!;
    test(`line ${line}: ${what} ${words[what]}`, async () => {
      const spec = await compose(words.server);
      const expected = JSON.parse(claim.text) as unknown;
      expect(await answers[what as keyof typeof answers](spec, claim, directory())).toEqual(expected);
    });
  }
});

type Answer = (spec: ServerSpec, claim: Block, directory: string) => Promise<unknown>;

/** What a server really shows or answers, in the form in which the pages say it. */
const answers = {
  lists: async ({ registry, info }, { words }) => {
    if (words.lists === 'server') return plain(info);
    const [kind, name] = words.lists!.split('/') as ['tools', string];
    const spec = registry.list(kind).items.find((item) => item.name === name);
    return plain(spec && 'ui' in words ? wireWithUi(spec) : spec?.wire);
  },
  call: async (_, { words, text }, directory) => {
    const { arguments: args = {}, options } = JSON.parse(text);
    const workspace = openWorkspace();
    const result = await callOnce(
      await workspace.findServer(path.join(directory, words.server ?? '')),
      workspace,
      {
        tool: words.call!,
        args,
        env: { MCP_TOOL_OPTIONS: JSON.stringify(options ?? {}) },
        report: () => {},
        signal: AbortSignal.timeout(10_000),
      },
    );
    return { arguments: args, ...(options && { options }), result: plain(result) };
  },
  get: async ({ registry }, { words, text }) => {
    const { arguments: args = {} } = JSON.parse(text);
    const { messages } = await registry.resolve('prompts', words.get!)!.render(args, context);
    return { arguments: args, messages: plain(messages) };
  },
  read: async ({ registry }, { words, text }) => {
    const { variables = {} } = JSON.parse(text);
    const uri = words.read!;
    const spec =
      registry.all('resources').find((one) => one.uri === uri) ??
      registry.all('resources').find((one) => one.uriTemplate);
    const contents = await spec!.read(uri, variables, context);
    return { ...(Object.keys(variables).length > 0 && { variables }), contents: plain(contents) };
  },
} as const satisfies Record<string, Answer>;

/** A tool as a client sees it that shows apps. */
function wireWithUi({ wire, ui }: ToolSpec): object {
  const meta = ui ? uiMeta(ui, { withApp: true }) : undefined;
  return meta ? { ...wire, _meta: { ...(wire._meta as object | undefined), ...meta } } : wire;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const silent = () => {};

/** For prompts and resources: there is no client. */
const context: Context = {
  signal: AbortSignal.timeout(60_000),
  progress: silent,
  log: { debug: silent, info: silent, notice: silent, warning: silent, error: silent },
  options: {},
  client: { name: undefined, version: undefined, capabilities: {} },
  can: () => false,
  ui: false,
  registry: { list: () => ({ items: [] }), resolve: () => undefined, shown: async () => [] },
  callTool: () => Promise.reject(new Error('There is no server.')),
  ...noInputSource('This'),
  root: undefined,
  session: undefined,
  meta: {},
  auth: undefined,
  notifyChanged: silent,
  notifyResourceUpdated: silent,
  closeStream: silent,
  beginTask: silent,
  locals: {},
  protocolVersion: '2026-07-28',
  requestId: 1,
  server: { name: 'docs', version: '1.0.0' },
};
