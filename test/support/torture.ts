import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { WritableClient } from '../../src/engine/clients/client.js';
import { writableClients } from '../../src/engine/clients/table/index.js';
import { writeFolder } from './packages.js';
import { bareEnvironment, fixture, programFile } from './program.js';
import { runCli } from './run-cli.js';

/** What is done to config files, and what becomes of it: our column of `docs/config-editing.md`. */
export const scenarios = {
  'Comments kept, JSONC': '6/6',
  'Comments kept, TOML · YAML': '5/5 · 4/4',
  'Other entries kept': 'yes',
  'Lines deleted elsewhere, ugly': '0 of 14 (JSONC), 0 of 20 (TOML), 0 of 20 (YAML)',
  'Lines touched besides the insertion, plain JSON': '0',
  'Text of a big integer, of `1.0`': 'kept',
  'Corrupt file': 'refused with line and column, exit 1, unchanged',
  'File 0444': 'refused, exit 1, unchanged',
  'Folder 0555': 'refused, exit 1, unchanged',
  'Symlinked file': 'link kept, target written',
  'Dangling symlink': 'link kept, target made; uninstall deletes the target',
  'Mode 0600 kept': 'yes',
  'Mode of a new file with a secret': '0600',
  Atomic: 'yes; killed at any step, the file is the old or the new one, and install and uninstall then work',
  'Write fails half way': 'unchanged, exit 1, says so',
  '8 parallel installs survived': '8; 8 parallel uninstalls then give the original bytes',
  'BOM + CRLF': 'both kept',
  'Empty file': 'ok',
  '`"mcpServers": []`': 'refused with line and column, exit 1, unchanged',
  'Same name, other content': 'refused, exit 1; with `--force` replaced, and uninstall puts it back',
  'Names `__proto__`, `constructor`': 'refused, exit 1, unchanged',
  'Names `a.b`, `we"ird né`, `../x`': '`a.b` accepted where the client takes it; the others refused',
  'Second identical install': 'no-op: same bytes, same time',
  'Uninstall gives the original bytes': 'always',
  'Uninstall of a missing entry': 'exit 0 + message',
  'Path with spaces and quotes': 'arrives as it is',
} as const;

export type Scenario = keyof typeof scenarios;

/** Those that processes take part in, so that a part of their tests starts the built program. */
export const processScenarios: readonly Scenario[] = [
  'Atomic',
  'Write fails half way',
  '8 parallel installs survived',
];

/** A text and the place in it, `line:column`, that has to be named. */
interface Placed {
  readonly text: string;
  readonly place: string;
}

/** One client and what users have in its file. */
export interface Subject {
  readonly client: WritableClient;
  /** Everything that a person may have put there by hand. */
  readonly ugly: string;
  /** The comments of `ugly`. */
  readonly comments: readonly string[];
  /** What of `ugly` reads the same in other spellings. */
  readonly spellings: readonly string[];
  /** As a program writes it. */
  readonly plain: string;
  readonly corrupt: Placed;
  /** Entries, but in the wrong kind of container. */
  readonly wrongType: Placed;
  /** Has an entry `weather` that starts something else. */
  readonly taken: string;
}

const jsonPlain = (container: string) => `{
  "theme": "dark",
  "${container}": {
    "files": {
      "command": "npx",
      "args": ["-y", "files"]
    }
  }
}
`;

export const uglyJsonc = (container: string): string => `// Mine. Do not sort.
{
   /* by hand,
      since 2024 */
   "inputs": [], // none yet
   "limit": 12345678901234567890, "ratio": 1.0,
   "place": "caf\\u00e9",
   "${container}": {
      // files first
      "files": { "command": "npx", "args": ["-y", "files"] }, // on one line
      "web": { "url": "http://localhost:1/mcp", },
      /* "old": {}, */
   },
}
`;

const jsonSpellings = ['12345678901234567890', '1.0,', 'caf\\u00e9'];

/** Each syntax, and each shape of container, by one client. */
const subjects: readonly Subject[] = [
  {
    client: clientNamed('cursor'),
    // Cursor takes neither comments nor trailing commas.
    ugly: `{
   "limit": 12345678901234567890, "ratio": 1.0,
   "place": "caf\\u00e9",
   "mcpServers": {
      "files": { "command": "npx", "args": ["-y", "files"] },
      "web": { "url": "http://localhost:1/mcp" }
   }, "last": null
}`,
    comments: [],
    spellings: jsonSpellings,
    plain: jsonPlain('mcpServers'),
    corrupt: { text: '{\n  "mcpServers": {\n    "files": { "command": }\n  }\n}\n', place: '3:27' },
    wrongType: { text: '{\n  "mcpServers": []\n}\n', place: '2:17' },
    taken: '{ "mcpServers": { "weather": { "command": "mine", "env": { "A": "1" } } } }\n',
  },
  {
    client: clientNamed('vscode'),
    ugly: uglyJsonc('servers'),
    comments: [
      '// Mine. Do not sort.',
      '/* by hand,\n      since 2024 */',
      '// none yet',
      '// files first',
      '// on one line',
      '/* "old": {}, */',
    ],
    spellings: jsonSpellings,
    plain: jsonPlain('servers'),
    corrupt: { text: '{\n  // mine\n  "servers": { "files": {}\n', place: '4:1' },
    wrongType: { text: '{\n  // mine\n  "servers": []\n}\n', place: '3:14' },
    taken: '{\n  "servers": { "weather": { "url": "http://localhost:1" }, } // mine\n}\n',
  },
  {
    client: clientNamed('codex'),
    ugly: `# Codex, by hand
model = 'gpt-5' # literal
big = 9007199254740993
ratio = 1.0
when = 1979-05-27T07:32:00Z
notify = [
   'say', # loud
   "caf\\u00e9",
]

[mcp_servers.files] # the files
command = 'npx'
args = ['-y', 'C:\\files']
env = { ROOT = '/', N = "1" }

[mcp_servers."with space"]
command = "x"

[profiles.fast] # last
model = "mini"
`,
    comments: ['# Codex, by hand', '# literal', '# loud', '# the files', '# last'],
    spellings: ['9007199254740993', 'ratio = 1.0', '"caf\\u00e9"', "'gpt-5'"],
    plain: 'model = "x"\n\n[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files"]\n',
    corrupt: { text: '# mine\n[mcp_servers.files]\ncommand = npx\n', place: '3:11' },
    wrongType: { text: '# mine\nmcp_servers = []\n', place: '2:1' },
    taken: '[mcp_servers.weather] # mine\nurl = "http://localhost:1"\n',
  },
  {
    client: clientNamed('goose'),
    ugly: `# goose, by hand
defaults: &defaults
    timeout: 300 # seconds
    enabled: true
GOOSE_MODEL: "caf\\u00e9"
since: 2024-02-29
big: 12345678901234567890
ratio: 1.0
extensions:
    # files first
    files:
        <<: *defaults
        type: stdio
        cmd: npx
        args: [-y, files]
    web: { type: sse, uri: "http://localhost:1" } # flow
notes: |
    # no comment
    - kept
last: ~
`,
    comments: ['# goose, by hand', '# seconds', '# files first', '# flow'],
    spellings: ['12345678901234567890', 'ratio: 1.0', 'caf\\u00e9', '2024-02-29', '*defaults', '~'],
    plain: 'GOOSE_MODEL: x\nextensions:\n  files:\n    type: stdio\n    cmd: npx\n',
    corrupt: { text: '# mine\nextensions:\n  files: {\n    cmd: npx\n', place: '5:1' },
    wrongType: { text: '# mine\nextensions: []\n', place: '2:1' },
    taken: 'extensions:\n  weather: { type: sse, uri: "http://localhost:1" } # mine\n',
  },
  {
    client: clientNamed('continue'),
    ugly: `# Continue, by hand
name: mine
version: 1.0
shared: &shared
    env: { ROOT: / } # flow
big: 12345678901234567890
since: 2024-02-29
place: "caf\\u00e9"
mcpServers:
    # files first
    - name: files
      <<: *shared
      command: npx
      args: [-y, files]
    - { name: web, url: "http://localhost:1" } # on one line
rules:
    - |
        # no comment
        kept
last: ~
`,
    comments: ['# Continue, by hand', '# flow', '# files first', '# on one line'],
    spellings: ['12345678901234567890', 'version: 1.0', 'caf\\u00e9', '2024-02-29', '*shared', '~'],
    plain: 'name: x\nversion: 1.0.0\nmcpServers:\n  - name: files\n    command: npx\n',
    corrupt: { text: '# mine\nmcpServers:\n  - name: "files\n    command: npx\n', place: '5:1' },
    wrongType: { text: '# mine\nmcpServers: {}\n', place: '2:1' },
    taken: 'mcpServers:\n  # mine\n  - name: weather\n    url: http://localhost:1\n',
  },
];

type Table = readonly (readonly [string, Subject])[];

/** All subjects by the names of their clients, as rows of tests. */
export const all: Table = subjects.map((subject) => [subject.client.id, subject]);

export const subjectOf = (id: string): Subject => subjects.find(({ client }) => client.id === id)!;

function clientNamed(id: string): WritableClient {
  return writableClients.find((client) => client.id === id)!;
}

const parsers = {
  json: (text: string) => parseJsonc(text, [], { allowTrailingComma: true }),
  jsonc: (text: string) => parseJsonc(text, [], { allowTrailingComma: true }),
  toml: (text: string) => parseToml(text, { integersAsBigInt: true }),
  yaml: (text: string) => parseYaml(text, { merge: true, intAsBigInt: true }),
} as const satisfies Record<WritableClient['format'], (text: string) => unknown>;

type Entries = Readonly<Record<string, Readonly<Record<string, never>>>>;

/** What a text holds besides entries, and its entries, by a parser that we do not edit with. */
export function contentOf({ client }: Subject, text: string): { others: unknown; entries: Entries } {
  const [key = ''] = client.container.path;
  const { [key]: held = {}, ...others } = parsers[client.format](text.replace(/^\uFEFF/, '')) ?? {};
  const entries = Array.isArray(held) ? held.map((entry) => [entry.name, entry]) : Object.entries(held);
  return { others, entries: Object.fromEntries(entries) };
}

/** How a command ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home of a user, and the config file of a client in it. */
export class Stage {
  readonly home: string;
  readonly subject: Subject;
  readonly file: string;

  /** Without a text no file is made. */
  constructor(subject: Subject, text?: string, home: string = writeFolder()) {
    this.home = home;
    this.subject = subject;
    this.file = fileOf(subject.client, this.home);
    mkdirSync(path.dirname(this.file), { recursive: true });
    if (text !== undefined) writeFileSync(this.file, text);
  }

  /** Text of the file, with `<home>` in place of the home folder; null if it is not there. */
  get text(): string | null {
    return this.#read()?.replaceAll(this.home, '<home>') ?? null;
  }

  #read(): string | undefined {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : undefined;
  }

  /** Command of entries. */
  get node(): string {
    return path.join(this.home, '.local/share/agenttools/bin/node');
  }

  get entries(): Entries {
    return contentOf(this.subject, this.#read() ?? '').entries;
  }

  /** Installs the server of the fixture as `weather`, without starting it. */
  async install(words: readonly string[] = []): Promise<Run> {
    const { id } = this.subject.client;
    return await this.run(['install', id, fixture('weather'), '--no-verify', ...words]);
  }

  async uninstall(words: readonly string[] = []): Promise<Run> {
    return await this.run(['uninstall', this.subject.client.id, ...words]);
  }

  /** Runs a command line in this process. */
  async run(words: readonly string[]): Promise<Run> {
    const { PATH = '' } = process.env;
    // The usual data folder is in no entry.
    return await runCli(words, { home: this.home, cwd: this.home, env: { PATH, AGENTTOOLS_HOME: '' } });
  }
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A command line that gets ours as its last words. */
  readonly wrapper?: readonly string[];
  /** Kills the process this long after its start. */
  readonly killAfterMs?: number;
}

/** How a process ended. */
export interface ProcessRun extends Run {
  readonly signal: NodeJS.Signals | null;
}

/** A stage on which the built program runs, in a process for each command. */
export class ProcessStage extends Stage {
  override async install(words: readonly string[] = [], options?: ProcessOptions): Promise<ProcessRun> {
    const { id } = this.subject.client;
    return await this.run(['install', id, fixture('weather'), '--no-verify', ...words], options);
  }

  override async uninstall(words: readonly string[] = [], options?: ProcessOptions): Promise<ProcessRun> {
    return await this.run(['uninstall', this.subject.client.id, ...words], options);
  }

  override async run(
    words: readonly string[],
    { env, wrapper = [], killAfterMs }: ProcessOptions = {},
  ): Promise<ProcessRun> {
    const [command, ...args] = [...wrapper, process.execPath, programFile, ...words];
    const child = spawn(command!, args, {
      cwd: this.home,
      env: bareEnvironment({ HOME: this.home, ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        said[name] += chunk;
      });
    }
    const killer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(killer);
    return { code, signal, ...said };
  }
}

export function expectDone({ code, stdout, stderr }: Run): void {
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
}

export function expectRefused({ code, stdout, stderr }: Run, why: RegExp | string): void {
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(why);
  expect(stderr).not.toMatch(/Installed|Updated|Removed/);
}

/** The text as it was, and nothing beside it. */
export function expectOriginal({ file, text, subject }: Stage, story: string): void {
  expect(text, story).toBe(subject.ugly);
  expect(readdirSync(path.dirname(file)), story).toEqual([path.basename(file)]);
}

/** Eight installs at once, and then as many uninstalls, on one file; all of them are done. */
export async function expectAllSurvive(installing: Stage, uninstalling: Stage = installing): Promise<void> {
  const { subject } = installing;
  const names = Array.from({ length: 8 }, (_, index) => `server-${index + 1}`);
  const before = contentOf(subject, subject.ugly);
  const runs = await Promise.all(names.map((name) => installing.install(['--name', name])));
  runs.forEach(expectDone);
  const { others, entries } = contentOf(subject, installing.text!);
  expect(others).toEqual(before.others);
  expect(entries).toMatchObject(before.entries);
  expect(Object.keys(entries).sort()).toEqual([...Object.keys(before.entries), ...names].sort());

  const ends = await Promise.all(names.map((name) => uninstalling.uninstall(['--name', name])));
  ends.forEach(expectDone);
  expect(uninstalling.text).toBe(subject.ugly);
}

/** A text of a client that is this many bytes long. */
export function padded({ client, plain }: Subject, bytes: number): string {
  const [before, after] = {
    json: ['{ "pad": "', '",'],
    jsonc: ['{ "pad": "', '",'],
    toml: ['pad = "', '"\n'],
    yaml: ['pad: ', '\n'],
  }[client.format] as [string, string];
  const rest = after + (plain.startsWith('{') ? plain.slice(1) : plain);
  return before + '.'.repeat(bytes - before.length - rest.length) + rest;
}

/** A command line before ours, so that no file larger than this may be written. */
const limited = (kilobytes: number): readonly string[] => [
  'bash',
  '-c',
  `ulimit -f ${kilobytes}; exec "$@"`,
  'bash',
];

/** Expects that install changes nothing when the first file that it writes is too large. */
export async function expectFirstWriteFails(subject: Subject): Promise<void> {
  const stage = new ProcessStage(subject, padded(subject, 3000));
  await expectInstallFails(stage, 1, /EFBIG/);
}

/** Expects that install changes nothing when the config file itself becomes too large. */
export async function expectFileWriteFails(subject: Subject): Promise<void> {
  const stage = new ProcessStage(subject, padded(subject, 20 * 1024 - 50));
  await expectInstallFails(stage, 20, `${stage.file} could not be written`);
}

async function expectInstallFails(
  stage: ProcessStage,
  kilobytes: number,
  why: RegExp | string,
): Promise<void> {
  const before = stage.text;
  expectRefused(await stage.install([], { wrapper: limited(kilobytes) }), why);
  expect(stage.text).toBe(before);
  expect(readdirSync(path.dirname(stage.file))).toEqual([path.basename(stage.file)]);
}

/** Writes a module that runs before the program, with what `support/faults.ts` of the files' tests exports at hand. */
export async function writePreload(body: string): Promise<string> {
  const source = path.resolve(import.meta.dirname, '../engine/base/files/support/faults.ts');
  const contents = `
    import fs from 'node:fs';
    import { arm, disarm, watchMoments } from ${JSON.stringify(source)};
    ${body}
  `;
  const outfile = path.join(writeFolder(), 'faults.mjs');
  await build({
    stdin: { contents, resolveDir: path.dirname(source) },
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    outfile,
  });
  return outfile;
}

/** The user's own file of a client on this system. */
function fileOf(client: WritableClient, home: string): string {
  const nothing = { env: {}, exists: () => false, namesIn: () => [] };
  const [file = ''] = client.userFiles({ home, platform: process.platform, ...nothing });
  return file;
}

/** A preload that copies the home folder into the folder `IMAGES` at every moment at which the files on the disk can differ. */
export async function writeImagesPreload(): Promise<string> {
  return await writePreload(`
    const { HOME, IMAGES } = process.env;
    let count = 0;
    await watchMoments((name) => {
      if (!/^(link|rename|rm|rmdir|unlink|writeFile|half of writeFile)$/.test(name)) return;
      fs.cpSync(HOME, IMAGES + '/' + count++, { recursive: true });
    });
  `);
}
