import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.js';
import { writePackage } from '../support/packages.js';
import { fakeHost, temporaryFolder } from '../support/run-cli.js';

const extension = writePackage(
  { tools: ['trip', 'sign-in', 'insist', 'outer', 'demanding'] },
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
    const { code, stdout, told } = await callAt('trip', ['Ostwick', '', '9.5', 'yes', 'First', 'tea, cake']);
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

  test('asks again for what does not fit, and says why', async () => {
    const first = ['', 'many', '', '', '', ''];
    const { stdout, told } = await callAt('trip', [...first, 'Ostwick', '1', '', '', '', 'tea']);
    expect(told).toMatch(/to\?\n\n.*place/s);
    expect(JSON.parse(stdout).content).toEqual({
      place: 'Ostwick',
      days: 1,
      insured: false,
      class: '2',
      meals: ['tea'],
    });
  });

  test('hears of Ctrl-D as of a question that was put away', async () => {
    const { stdout } = await callAt('trip', ['Ostwick']);
    expect(JSON.parse(stdout)).toEqual({ action: 'cancel' });
  });

  test.each([
    ['y', 'accept'],
    ['', 'decline'],
  ])('shows an address, and hears of "%s" as %s', async (line, action) => {
    const { stdout, told } = await callAt('sign-in', [line]);
    expect(told).toContain('Sign in.\nhttps://acme.example/in\n');
    expect(JSON.parse(stdout)).toEqual({ action });
  });

  test('may be called by another, and may require to be answered', async () => {
    expect((await callAt('outer', ['Ada'])).stdout).toBe('Ada\n');
    expect((await callAt('demanding', [])).stdout).toBe('met\n');
  });
});

describe('a tool that asks', () => {
  const lacking = 'Tool "trip" needs the client capability "elicitation", which this client does not have.\n';

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
    const { host, stdout } = fakeHost({ cwd: extension, home: await temporaryFolder(), env: {} });
    const stdin = Object.assign(Readable.from(['\u0003']), { isTTY: true, setRawMode: () => {} });
    const stderr = Object.assign(host.stderr, { isTTY: true, columns: 80 });
    expect(await main(['call', '.', 'insist'], { ...host, stdin, stderr })).toBe(130);
    expect(stdout.text).toBe('');
  });
});
