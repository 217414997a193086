import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { workspaceFolders } from '../../src/engine/base/folders.js';
import { loadBuiltin } from '../support/builtin.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { root } from '../support/program.js';

const { blocksOf } = await loadBuiltin('wolfram/kernel/content.js');
const { dataFolder } = await loadBuiltin('wolfram/kernel/data-folder.js');
const { embedAddress, notebookId } = await loadBuiltin('wolfram/kernel/deployment.js');
const { asciiCode, readLine, requestLine } = await loadBuiltin('wolfram/kernel/lines.js');
const { place } = await loadBuiltin('wolfram/kernel/paclet.js');
const { KernelProcess } = await loadBuiltin('wolfram/kernel/process.js');
const { findKernel, findWolframscript } = await loadBuiltin('wolfram/kernel/programs.js');
const { contextOf, SavedSessions } = await loadBuiltin('wolfram/kernel/sessions.js');

const wolfram = path.join(root, 'src/builtin/wolfram');

/** A folder of programs that do nothing. */
function programs(...names: readonly string[]): string {
  const folder = writeFolder(Object.fromEntries(names.map((name) => [name, '#!/bin/sh\n'])));
  for (const name of names) chmodSync(path.join(folder, name), 0o755);
  return folder;
}

describe('where programs are', () => {
  test('uses a variable before the PATH', async () => {
    const folder = programs('wolframscript', 'WolframKernel');
    const PATH = ['relative', writeFolder(), folder].join(path.delimiter);
    expect(await findWolframscript({ PATH })).toBe(path.join(folder, 'wolframscript'));
    expect(await findKernel({ PATH })).toBe(path.join(folder, 'WolframKernel'));
    const other = programs('mine');
    const mine = path.join(other, 'mine');
    expect(await findWolframscript({ PATH, WOLFRAMSCRIPT: mine })).toBe(mine);
    expect(await findKernel({ PATH, WOLFRAM_KERNEL: mine })).toBe(mine);
  });

  test.each(['wolframscript', '/no/such/program', os.tmpdir()])('is not %j', async (file) => {
    const said = `is set to "${file}", which is not a program`;
    await expect(findWolframscript({ WOLFRAMSCRIPT: file })).rejects.toThrow(`WOLFRAMSCRIPT ${said}`);
    await expect(findKernel({ WOLFRAM_KERNEL: file })).rejects.toThrow(`WOLFRAM_KERNEL ${said}`);
  });

  test('is not a folder or a file that cannot be run', async () => {
    const folder = writeFolder({ 'a/wolframscript/file': '', 'b/wolframscript': '' });
    const PATH = ['a', 'b'].map((name) => path.join(folder, name)).join(path.delimiter);
    expect(await findWolframscript({ PATH })).toBeUndefined();
  });

  test('asks wolframscript for a kernel outside the usual folders', async () => {
    const kernel = path.join(programs('kernel-of-mine'), 'kernel-of-mine');
    const env = {
      PATH: path.dirname(process.execPath),
      WOLFRAMSCRIPT: path.join(root, 'test/support/wolframscript.mjs'),
      WOLFRAM_STAND_IN_KERNEL: kernel,
    };
    expect(await findKernel(env)).toBe(kernel);
    expect(await findKernel({ ...env, WOLFRAM_STAND_IN_KERNEL: 'Missing["x"]' })).toBeUndefined();
  });
});

describe('the paclet of the user', () => {
  test('is started in the user’s kernel, with what the kernel needs of the environment and no key', async () => {
    const WOLFRAM_KERNEL = path.join(programs('kernel'), 'kernel');
    const found = await place({
      env: {
        WOLFRAM_KERNEL,
        WOLFRAM_API_KEY: 'secret',
        WOLFRAM_ALPHA_APPID: 'secret',
        WOLFRAM_APP_ID: 'secret',
        WOLFRAM_LLM_APP_ID: 'secret',
        WOLFRAM_USERBASE: '/base',
        OTHER_TOKEN: 'secret',
        APPDATA: 'data',
      },
    });
    expect(found.command).toBe(WOLFRAM_KERNEL);
    expect(found.env).toEqual({
      WOLFRAM_KERNEL,
      WOLFRAM_USERBASE: '/base',
      APPDATA: 'data',
      MCP_SERVER_NAME: 'WolframPacletDevelopment',
      MCP_APPS_ENABLED: 'false',
    });
    const [run, expression, ...flags] = found.args;
    expect([run, ...flags]).toEqual(['-run', '-noinit', '-noprompt']);
    expect(faultsOf(expression!)).toEqual([]);
    expect(expression).toContain('PacletSymbol["Wolfram/AgentTools", "Wolfram`AgentTools`StartMCPServer"][]');
  });

  test('is missed in words, with the way to a kernel and to the paclet', async () => {
    const error = await place({ env: { PATH: writeFolder() } }).catch((thrown: unknown) => thrown);
    expect((error as Error).message).toMatch(
      /no kernel was found\. .*wolfram\.com\/engine.*PacletInstall\["Wolfram\/AgentTools"\].*WOLFRAM_KERNEL/,
    );
    expect(Reflect.get(error as object, Symbol.for('agenttools/tool-error'))).toBe(true);
    const named = await place({ env: { WOLFRAM_KERNEL: '/none' } }).catch((thrown: unknown) => thrown);
    expect(Reflect.get(named as object, Symbol.for('agenttools/tool-error'))).toBe(true);
  });

  const names = [
    'WolframLanguageContext',
    'ReadNotebook',
    'WriteNotebook',
    'SymbolDefinition',
    'CodeInspector',
    'TestReport',
    'CreateSymbolDoc',
    'EditSymbolDoc',
    'EditSymbolDocExamples',
    'CheckPaclet',
    'BuildPaclet',
    'SubmitPaclet',
  ];

  test.each(names)('answers %s, whose input is all described', (name) => {
    const text = readFileSync(path.join(wolfram, `agenttools/tools/${name}.json`), 'utf8');
    const { upstream, handler, inputSchema, description } = JSON.parse(text);
    expect(handler).toBeUndefined();
    expect(upstream).toMatchObject({ place: './kernel/paclet.js#place', name: 'Wolfram/AgentTools paclet' });
    expect(description).toMatch(/\.$/);
    const properties = Object.entries<{ type: string; description: string }>(inputSchema.properties);
    expect(properties.length).toBeGreaterThan(0);
    for (const [, property] of properties) {
      expect(property).toMatchObject({ type: expect.any(String), description: expect.any(String) });
    }
    const known = properties.map(([property]) => property);
    expect(known).toEqual(expect.arrayContaining(inputSchema.required ?? []));
  });
});

describe('a kernel that is started', () => {
  test('has so long to be ready, and is gone if it is not', async () => {
    const starting = KernelProcess.start({
      command: path.join(root, 'test/support/wolframscript.mjs'),
      args: [],
      env: { PATH: path.dirname(process.execPath), WOLFRAM_STAND_IN: 'mute' },
      cwd: os.tmpdir(),
      startTimeoutMs: 300,
    });
    await expect(starting).rejects.toThrow('it was not ready within 0 s');
  });

  test('may be no program at all', async () => {
    const starting = KernelProcess.start({
      command: path.join(writeFolder(), 'none'),
      args: [],
      env: {},
      cwd: os.tmpdir(),
      startTimeoutMs: 20_000,
    });
    await expect(starting).rejects.toThrow('it cannot be run (ENOENT)');
  });
});

describe('the line to the kernel', () => {
  test('holds any text in characters that every platform reads in the same way', () => {
    const line = requestLine({ code: 'é\n"😀', word: 'ab' });
    expect(line).toMatch(/^[A-Za-z0-9+/=]+\n$/);
    expect(JSON.parse(Buffer.from(line, 'base64').toString())).toEqual({ code: 'é\n"😀', word: 'ab' });
  });

  const message = { outcome: 'done' };
  const text = Buffer.from(JSON.stringify(message)).toString('base64');

  test.each<[line: string, read: object | undefined]>([
    [`@@ab:${text}`, { isFinal: true, message }],
    [`@@ab+${text}\r`, { isFinal: false, message }],
    [`@@cd:${text}`, undefined],
    [` @@ab:${text}`, undefined],
    [`@@ab:${text}!`, undefined],
    ['@@ab:', undefined],
    [`@@ab:${Buffer.from('[]').toString('base64')}`, undefined],
    [`@@ab:${Buffer.from('null').toString('base64')}`, undefined],
    ['@@ab:bm8=', undefined],
  ])('%s', (line, read) => {
    expect(readLine(line, 'ab')).toEqual(read);
  });

  test.each([
    ['a\tb\r\nc\rd', 'a\tb\nc\nd'],
    ['é', '\\.e9'],
    ['\u0000\u007f', '\\.00\\.7f'],
    ['→', '\\:2192'],
    ['𝒳', '\\|01d4b3'],
    ['\\[Alpha]', '\\[Alpha]'],
  ])('writes code %j as %s', (code, ascii) => {
    expect(asciiCode(code)).toBe(ascii);
  });
});

describe('saved sessions', () => {
  test('have separate contexts and files on every platform', () => {
    const saved = new SavedSessions('/s');
    expect(contextOf('a_b')).toBe('AgentToolsSession`a$b`');
    expect(path.basename(saved.file('abc_1'))).toBe('abc_1.mx');
    const files = ['abc', 'Abc', 'aBC', 'ABC'].map((id) => saved.file(id).toLowerCase());
    expect(new Set(files).size).toBe(4);
  });

  test('are written by several servers at once without harm', async () => {
    const folder = writeFolder();
    const [one, other] = ['1', '2'].map((writer) => new SavedSessions(folder, writer));
    addFiles(folder, {
      [path.basename(one.draft('abc'))]: 'whole',
      [path.basename(other.draft('abc'))]: 'half',
    });
    expect(await one.keep('abc')).toBe(true);
    expect(readFileSync(other.file('abc'), 'utf8')).toBe('whole');
    await other.dropDraft('abc');
    expect(readdirSync(folder)).toEqual(['abc.mx']);
  });

  test('go when they are old, many or large, the current one never', async () => {
    const folder = writeFolder();
    const saved = new SavedSessions(folder);
    const now = Date.now();
    const write = (name: string, bytes: number, ageMs: number) => {
      addFiles(folder, { [name]: 'x'.repeat(bytes) });
      utimesSync(path.join(folder, name), (now - ageMs) / 1000, (now - ageMs) / 1000);
    };
    const limits = { maxCount: 4, maxBytes: 1000, maxAgeMs: 50_000, now };
    write('current.mx', 900, 99_000);
    write('new.mx', 10, 0);
    write('large.mx', 990, 1000);
    write('old.mx', 10, 60_000);
    write('second.mx', 10, 2000);
    write('third.mx', 10, 3000);
    write('surplus.mx', 10, 4000);
    write('writing.new.mx', 10, 1000);
    write('left.new.mx', 10, 3_600_000);
    write('notes.txt', 10, 99_000);
    await saved.tidy({ current: 'current', ...limits });
    expect(readdirSync(folder).sort()).toEqual(
      ['current.mx', 'new.mx', 'notes.txt', 'second.mx', 'third.mx', 'writing.new.mx'].sort(),
    );
  });

  test('are where AgentTools keeps its things', () => {
    const cwd = process.cwd();
    const environments = [
      {},
      { AGENTTOOLS_HOME: 'mine' },
      { XDG_DATA_HOME: '/x', LOCALAPPDATA: '/l' },
      { XDG_DATA_HOME: 'x' },
    ];
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      for (const env of environments) {
        const { dataFolder: expected } = workspaceFolders({ cwd, env, home: '/home/me', platform });
        expect(dataFolder({ cwd, env, home: '/home/me', platform })).toBe(expected);
      }
    }
  });
});

describe('the text of a result', () => {
  test('is cut where it is longest', () => {
    const outputs = [
      { index: 0, line: 1, text: 'short', length: 5 },
      { index: 1, line: 2, text: 'x'.repeat(900), length: 900 },
    ];
    const [block] = blocksOf({ outputs, prints: ['p'.repeat(280), ''], maxCharacters: 600 });
    expect(block.text).toContain('p'.repeat(280));
    expect(block.text).toContain('Out[1]= short');
    expect(block.text).toMatch(/Out\[2\]= x+\n… \d+ characters left out …\nx+$/);
    expect(block.text.length).toBeLessThan(700);
  });

  test('has the first and the last of very many', () => {
    const outputs = Array.from({ length: 5000 }, (_, index) => ({
      index,
      line: index + 1,
      text: 'x',
      length: 1,
    }));
    const [block] = blocksOf({ outputs, prints: [], maxCharacters: 1000 });
    expect(block.text).toMatch(/^Out\[1\]= x\n\nOut\[2\]= x/);
    expect(block.text).toContain('\n\n… 4990 outputs left out …\n\n');
    expect(block.text).toMatch(/Out\[5000\]= x$/);
    expect(block.text.length).toBeLessThan(1000);
  });

  test('is made of as many outputs as code has lines', () => {
    const outputs = Array.from({ length: 200_000 }, (_, index) => ({
      index,
      line: index,
      text: 'x',
      length: 1,
    }));
    const prints = outputs.map(({ index }) => `${index}`);
    const [block] = blocksOf({ outputs, prints, maxCharacters: 400 });
    expect(block.text).toMatch(
      /^0\n\nOut\[0\]= x\n\n… 399996 outputs left out …\n\n199999\n\nOut\[199999\]= x$/,
    );
  });

  test('may have much space in it', () => {
    const [block] = blocksOf({ outputs: [], prints: [`x${' '.repeat(300_000)}y \n`], maxCharacters: 400 });
    expect(block.text).toMatch(/^x +\n… \d+ characters left out …\n +y$/);
  });
});

describe('the address of a notebook', () => {
  test.each([
    ['https://www.wolframcloud.com/obj/me/AgentTools/x.nb', undefined],
    ['https://www.wolframcloud.com/obj/abc-1?a=b', 'abc-1'],
    [
      'https://www.wolframcloud.com/obj/0F0e0d0c-1111-2222-3333-444455556666',
      '0F0e0d0c-1111-2222-3333-444455556666',
    ],
  ])('%s', (url, id) => {
    expect(notebookId(url)).toBe(id);
    expect(embedAddress(url)).toBe(`${url}${url.includes('?') ? '&' : '?'}syntaxMethod=editor`);
  });
});

/** What of Wolfram Language code is not closed or not opened. Knows strings, comments and brackets. */
function faultsOf(code: string): string[] {
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{', '|>': '<|', '*)': '(*' };
  const openers = new Set(Object.values(pairs));
  const open: string[] = [];
  const faults: string[] = [];
  const tokens = /"(?:[^"\\]|\\[\s\S])*"|\\\[\w+\]|\(\*|\*\)|<\||\|>|[()[\]{}"]/g;
  for (const { 0: token, index } of code.matchAll(tokens)) {
    const line = code.slice(0, index).split('\n').length;
    if (open.at(-1) === '(*' && token !== '(*' && token !== '*)') continue;
    if (openers.has(token)) open.push(token);
    else if (token === '"') faults.push(`a string begins in line ${line} and does not end`);
    else if (pairs[token] && open.pop() !== pairs[token])
      faults.push(`${token} in line ${line} closes nothing`);
  }
  return [...faults, ...open.map((one) => `${one} is not closed`)];
}

describe('the loop in the kernel', () => {
  const code = readFileSync(path.join(wolfram, 'kernel/kernel-loop.wl'), 'utf8');

  test('is looked at by something that finds what is wrong', () => {
    expect(faultsOf('f[x_] := <|"a]" -> {1, (2)}|>; (* ] *) "\\"["')).toEqual([]);
    expect(faultsOf('f[(x]')).not.toEqual([]);
    expect(faultsOf('{<|}|>')).not.toEqual([]);
    expect(faultsOf('"abc')).not.toEqual([]);
  });

  test('closes every bracket and is ASCII only', () => {
    expect(faultsOf(code)).toEqual([]);
    expect(code).toMatch(/^[\n\x20-\x7e]*$/);
  });

  test('defines every function that it calls outside the system contexts', () => {
    const bare = code.replace(/\(\*[\s\S]*?\*\)/g, '').replace(/"(?:[^"\\]|\\[\s\S])*"/g, '""');
    const called = [...bare.matchAll(/(?<![\w$`])([a-z]\w*)\[/g)].map(([, name]) => name!);
    const written = [...bare.matchAll(/(?<![\w$`])([a-z]\w*)(?:\[[^\n]*\])?\s*:?=(?!=)/g)].map(
      ([, name]) => name,
    );
    expect(called.filter((name) => !written.includes(name))).toEqual([]);
  });

  test('knows every member that is sent to it, and sends every member that is read', () => {
    const local = readFileSync(path.join(wolfram, 'kernel/evaluate-locally.js'), 'utf8');
    const [, sent] = /running\.ask\(\s*\{([\s\S]*?)\},\s*this/.exec(local)!;
    const members = [...sent!.matchAll(/^\s*(\w+)(?::|,)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'op');
    expect(members.length).toBeGreaterThan(8);
    for (const member of members) expect(code).toContain(`request["${member}"]`);
    const answered = [
      'outcome',
      'outputs',
      'session',
      'saved',
      'cloud',
      'index',
      'line',
      'text',
      'tail',
      'length',
      'image',
      'url',
      'failure',
      'phase',
    ];
    for (const member of answered) expect(code).toContain(`"${member}" ->`);
  });
});

test('the folder of an evaluation goes with the process that ends in the middle of it', () => {
  const TMPDIR = writeFolder();
  const module = pathToFileURL(path.join(root, 'src/builtin/wolfram/kernel/temporary-folder.js')).href;
  const code = `
    import { readdirSync } from 'node:fs';
    import { inTemporaryFolder } from ${JSON.stringify(module)};
    await inTemporaryFolder(() => process.exit(readdirSync(${JSON.stringify(TMPDIR)}).length));`;
  const env = { ...process.env, TMPDIR, TMP: TMPDIR, TEMP: TMPDIR };
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { env });
  expect(status).toBe(1);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
