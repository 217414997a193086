import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.js';
import { writePackage } from '../support/packages.js';
import { fakeHost, temporaryFolder } from '../support/run-cli.js';

const extension = writePackage(
  { tools: ['trip', 'sign-in', 'sure', 'insist', 'outer', 'demanding', 'hasty'] },
  {
    'agenttools/tools.js': `
      const trip = async (_args, ctx) =>
        await ctx.elicit('Where\\u001b[31m to?', {
          type: 'object',
          properties: {
            place: { type: 'string', description: 'A town', minLength: 2 },
            days: { type: 'integer', minimum: 1, default: 3 },
            price: { type: 'number' },
            insured: { type: 'boolean', default: false },
            class: { oneOf: [{ const: '1', title: 'First' }, { const: '2', title: 'Second' }], default: '2' },
            meals: { type: 'array', items: { enum: ['tea', 'cake'] } },
          },
          required: ['place'],
        });
      const tools = {
        trip,
        'sign-in': (_args, ctx) => ctx.elicitUrl('Sign in.', 'https://acme.example/in'),
        sure: (_args, ctx) => ctx.elicit('Delete everything?', {}),
        hasty: (_args, ctx) => {
          ctx.elicit('Really?', {});
          return new Promise((resolve) => setTimeout(resolve, 200, 'done'));
        },
        insist: async (_args, ctx) => {
          let answer;
          do answer = await ctx.elicit('Name?', { name: { type: 'string', required: true } });
          while (answer.action !== 'accept');
          return answer.content.name;
        },
        outer: (_args, ctx) => ctx.callTool('insist'),
        demanding: () => 'met',
      };
      const requires = { demanding: ['elicitation'] };
      export default Object.fromEntries(
        Object.entries(tools).map(([name, handler]) => [name, { description: name, handler, requires: requires[name] ?? [] }]),
      );`,
  },
);

/** Calls a tool at a terminal where somebody types these lines, one at each question, and then Ctrl-D. */
async function callAt(tool: string, lines: readonly string[], { isTTY = true } = {}) {
  const { host, stdout } = fakeHost({ cwd: extension, home: await temporaryFolder(), env: {} });
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const rest = [...lines];
  const prompts: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      prompts.push(String(chunk));
      if (/[:\]] $/.test(String(chunk))) {
        const line = rest.shift();
        if (line === undefined) stdin.end();
        else stdin.write(line === '\u0003' ? line : `${line}\n`);
      }
      done();
    },
  });
  const code = await main(['call', '.', tool], { ...host, stdin, stderr });
  return { code, stdout: stdout.text, told: prompts.join('') };
}

describe('a tool that asks, at a terminal', () => {
  test('is answered by lines: values, titles, nothing for what is preset', async () => {
    const { code, stdout, told } = await callAt('trip', [
      '',
      'Ostwick',
      '',
      '9.5',
      'yes',
      'First',
      'tea, cake',
    ]);
    expect(told).toContain('Where\\u001b[31m to?\n');
    expect(told).toContain('  place, A town: ');
    expect(told).toContain('  days [3]: ');
    expect(told).toContain('  insured (yes, no) [no]: ');
    expect(told).toContain('  class (1 = First, 2 = Second) [2]: ');
    expect(told).toContain('  meals (tea, cake): ');
    expect(JSON.parse(stdout)).toEqual({
      action: 'accept',
      content: { place: 'Ostwick', days: 3, price: 9.5, insured: true, class: '1', meals: ['tea', 'cake'] },
    });
    expect(code).toBe(0);
  });

  test('asks again for an invalid field at once, with the reason', async () => {
    const lines = ['answer', '', 'O', 'Ostwick', 'many', '1', '', '', '', 'tea'];
    const { stdout, told } = await callAt('trip', lines);
    expect(told).toContain('  "place" is required\n');
    expect(told).toContain('  "days" must be integer\n');
    expect(told.match(/place, A town: /g)).toHaveLength(3);
    expect(told.match(/days \[3\]: /g)).toHaveLength(2);
    expect(JSON.parse(stdout).content).toEqual({
      place: 'Ostwick',
      days: 1,
      insured: false,
      class: '2',
      meals: ['tea'],
    });
  });

  test('receives Ctrl-D as cancel', async () => {
    const { stdout } = await callAt('trip', ['a', 'Ostwick']);
    expect(JSON.parse(stdout)).toEqual({ action: 'cancel' });
  });

  test.each([
    [['yes'], { action: 'accept', content: {} }],
    [['', 'perhaps', 'no'], { action: 'decline' }],
    [['c'], { action: 'cancel' }],
    [[], { action: 'cancel' }],
  ])('is asked for a plain yes or no: %j', async (lines, answer) => {
    const { stdout, told } = await callAt('sure', lines);
    expect(told).toContain('Delete everything?\nAgree? (yes, no, cancel): ');
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  test('may decline a form without filling it in', async () => {
    const { stdout, told } = await callAt('trip', ['decline']);
    expect(told).toContain('What will you do? (answer, decline, cancel) [answer]: ');
    expect(JSON.parse(stdout)).toEqual({ action: 'decline' });
  });

  test('receives a "no" only when its field is asked for', async () => {
    const { stdout, told } = await callAt('trip', ['no', 'yes', '', 'Ostwick', '', '1', 'no', '', 'tea']);
    expect(told.match(/What will you do\?/g)).toHaveLength(3);
    expect(JSON.parse(stdout)).toMatchObject({ action: 'accept', content: { insured: false } });
  });

  test('is not waited for where the tool does not wait', async () => {
    const { host, stdout } = fakeHost({ cwd: extension, home: await temporaryFolder(), env: {} });
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    expect(await main(['call', '.', 'hasty'], { ...host, stdin })).toBe(0);
    expect(stdout.text).toBe('done\n');
    expect(stdin.listenerCount('data')).toBe(0);
  });

  test.each([
    ['y', 'accept'],
    ['no', 'decline'],
  ])('shows a URL and receives "%s" as %s', async (line, action) => {
    const { stdout, told } = await callAt('sign-in', [line]);
    expect(told).toContain('Sign in.\nhttps://acme.example/in\nGo there? (yes, no, cancel): ');
    expect(JSON.parse(stdout)).toEqual({ action });
  });

  test('may be called by another, and may require to be answered', async () => {
    expect((await callAt('outer', ['', 'Ada'])).stdout).toBe('Ada\n');
    expect((await callAt('demanding', [])).stdout).toBe('met\n');
  });
});

describe('a tool that asks', () => {
  const lacking = 'Tool "trip" needs the client capability "elicitation", which this client does not have.\n';

  test.each([
    ['accept', '"action": "accept"', false],
    ['maybe', '"action": "cancel"', true],
  ])('answers %s', async (word, result, isRefused) => {
    const { stdout, told } = await callAt('sure', [word]);
    expect(stdout.replace('"action":"', '"action": "')).toContain(result);
    expect(told.includes('"maybe" is not an answer. Write one of: yes, no, cancel.')).toBe(isRefused);
  });

  test('fails where there is no terminal', async () => {
    const { code, stdout } = await callAt('trip', [], { isTTY: false });
    expect({ code, stdout }).toEqual({ code: 1, stdout: lacking });
  });

  test('fails where stdin has the arguments', async () => {
    const { host, stdout } = fakeHost({ cwd: extension, home: await temporaryFolder(), env: {} });
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end('{}');
    expect(await main(['call', '.', 'trip', '-'], { ...host, stdin })).toBe(1);
    expect(stdout.text).toBe(lacking);
  });

  test('ends at Ctrl-C, however often it would ask', async () => {
    const {
      host,
      stdout,
      stderr: told,
    } = fakeHost({ cwd: extension, home: await temporaryFolder(), env: {} });
    const stdin = Object.assign(Readable.from(['\u0003']), { isTTY: true, setRawMode: () => {} });
    const stderr = Object.assign(host.stderr, { isTTY: true, columns: 80 });
    expect(await main(['call', '.', 'insist'], { ...host, stdin, stderr })).toBe(130);
    expect(stdout.text).toBe('');
    expect(told.text).toMatch(/^Name\?\n[^\n]*\n?error: Interrupted\.\n$/);
  });
});
