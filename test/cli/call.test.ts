import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { noisy, several } from '../support/weather.js';

const call = (words: readonly string[], options = {}) =>
  runCli(['call', ...words], { files: noisy, ...options });

describe('call', () => {
  it('prints the text of the answer, and sends what the tool prints to stderr', async () => {
    const { code, stdout, stderr } = await call(['./noisy', 'print']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'answer\n' });
    expect(stderr).toBe('loading\nimporting\nprinting\nmore\n');
  });

  it('notes in one line each what is not text', async () => {
    const { stdout } = await call(['./noisy', 'blocks']);
    expect(stdout.split('\n')).toEqual([
      'one',
      '[image image/png, 12 kB]',
      '[audio audio/wav, 10 B]',
      '[resource_link file:///a "a"]',
      '[resource file:///b text/plain, 7 B]',
      'two',
      '',
    ]);
  });

  it('prints the whole result as JSON', async () => {
    const { code, stdout } = await call(['./noisy', 'report', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      content: [{ type: 'text', text: '{"done":true}' }],
      structuredContent: { done: true },
    });
  });

  it('prints progress and log messages on stderr', async () => {
    const { stderr } = await call(['./noisy', 'report']);
    expect(stderr).toContain('progress: 1 of 2 half\nwarning: careful\n');
  });

  it('exits 1 for a failure, its text on stdout like any other', async () => {
    const { code, stdout, stderr } = await call(['./noisy', 'fail']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'It is closed.\n' });
    expect(stderr).not.toContain('It is closed.');
  });

  it('exits 1 for a failure with --json, the result on stdout', async () => {
    const { code, stdout } = await call(['./noisy', 'fail', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ isError: true });
  });

  it('prints an unexpected exception on stderr', async () => {
    const { code, stdout, stderr } = await call(['./noisy', 'throws']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Tool execution failed\n' });
    expect(stderr).toContain('Error: secret');
  });

  it('has the tools of a catalog, if the user wants one', async () => {
    const env = { AGENTTOOLS_TOOL_LIST: 'catalog' };
    const { code, stdout } = await call(['./noisy', 'find_tools', '{"query":"print"}'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('print');
  });

  it('prints a protocol error with its code, and with its data as JSON', async () => {
    const tool = `export default { description: 'Refuses.', handler() {
      throw Object.assign(new Error('Own'), { code: -32050, data: { why: 1 }, [Symbol.for('agenttools/protocol-error')]: true });
    } };`;
    const files = {
      'kit/package.json': {
        name: 'kit',
        version: '1.0.0',
        type: 'module',
        agenttools: { tools: ['refuse'] },
      },
      'kit/agenttools/tools/refuse.js': tool,
    };
    const plain = await call(['./kit', 'refuse'], { files });
    expect(plain).toMatchObject({ code: 1, stdout: '', stderr: 'error: Own (JSON-RPC error -32050)\n' });
    const { code, stdout } = await call(['./kit', 'refuse', '--json'], { files });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ error: { code: -32050, message: 'Own', data: { why: 1 } } });
  });

  it('survives a tool that exits', async () => {
    const { code, stdout } = await call(['./noisy', 'exits']);
    expect(code).toBe(1);
    expect(stdout).toContain('process.exit');
  });

  it('reads the arguments from stdin', async () => {
    const stdin = '\uFEFF{"times":"many"}';
    const { code, stdout } = await call(['./noisy', 'print', '-'], { stdin });
    expect(code).toBe(1);
    expect(stdout).toContain('Invalid arguments for tool "print"');
  });

  it('hands options over from the environment', async () => {
    const env = { MCP_TOOL_OPTIONS: '{"options":{"unit":"F"}}' };
    expect((await call(['./noisy', 'options'], { env })).stdout).toBe('{"unit":"F"}\n');
  });

  it('calls a tool that is defined in code', async () => {
    const { stdout, stderr } = await call(['./noisy', 'coded']);
    expect({ stdout, stderr }).toEqual({ stdout: 'coded\n', stderr: 'loading\n' });
  });

  it.each([
    ['{"place":', 'not valid JSON'],
    ['', 'they are empty'],
    ['[1]', 'a JSON object'],
    ['"text"', 'a JSON object'],
    ['null', 'a JSON object'],
    ['place', 'not valid JSON'],
  ])('exits 2 for the arguments %j', async (text, message) => {
    const { code, stdout, stderr } = await call(['./noisy', 'print', text]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it.each([
    [['./noisy', 'prnt'], 1, 'Did you mean "print"?'],
    [['./nowhere', 'print'], 1, 'There is no folder'],
    [['noisy', 'print'], 1, 'write ./noisy'],
    [['@acme/nowhere/x', 'print'], 1, 'agenttools add @acme/nowhere'],
    [['./several', 'ping'], 1, 'several has several servers. Name one of: ./several/one, ./several/two.'],
    [[], 2, "missing required argument 'server'"],
    [['./noisy', 'print', '{}', '{}'], 2, 'Expected name=value, not "{}".'],
    [['./noisy', 'print', 'times=1', 'much'], 2, 'Expected name=value, not "much".'],
    [['./noisy', 'print', 'times=1', 'times=2'], 2, 'times= is given twice.'],
    [['./noisy', 'print', '--jsn'], 2, 'Did you mean --json?'],
  ])('%j exits %i', async (words, expected, message) => {
    const { code, stdout, stderr } = await call(words, { files: { ...noisy, ...several } });
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(message);
  });
});

const typedTools = `export default {
  echo: {
    description: 'Returns\\nits arguments.',
    input: { place: 'string', days: { type: 'integer', required: true, description: 'How long' } },
    handler: (args) => JSON.stringify(args),
  },
  secret: { description: 'Hidden', hidden: true, handler: () => '' },
  broken: {},
};`;
const typed = {
  'typed/package.json': {
    name: 'typed',
    version: '1.0.0',
    type: 'module',
    agenttools: { tools: ['echo', 'secret', 'broken'] },
  },
  'typed/agenttools/tools.js': typedTools,
};

describe('call without a tool', () => {
  it('lists the tools with their parameters, and names those that are left out', async () => {
    const { code, stdout, stderr } = await call(['./typed'], { files: typed });
    expect(code).toBe(0);
    expect(stdout).toBe(
      '  echo  Returns\n    its arguments.\n    place (string)\n    days (integer, required)  How long\n',
    );
    expect(stderr).toContain('Tool "broken" has no "handler"');
  });

  it('prints them as clients get them with --json', async () => {
    const { code, stdout } = await call(['./typed', '--json'], { files: typed });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'echo', inputSchema: { type: 'object', required: ['days'] } },
    ]);
  });

  it('fails with the reasons if all tools are left out', async () => {
    const files = { ...typed, 'typed/agenttools/tools.js': 'export default { broken: {} };' };
    const { code, stdout, stderr } = await call(['./typed'], { files });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Tool "broken" has no "handler"');
  });
});

describe('name=value', () => {
  it.each([
    [['days=3', 'place=12'], { days: 3, place: '12' }],
    [['days=3', 'place=a=b {"c"}'], { days: 3, place: 'a=b {"c"}' }],
    [['days=3', 'place='], { days: 3, place: '' }],
  ])('%j is typed by the schema', async (words, args) => {
    const { stdout } = await call(['./typed', 'echo', ...words], { files: typed });
    expect(JSON.parse(stdout)).toEqual(args);
  });

  it('is text if it is no JSON, which the schema may refuse', async () => {
    const { code, stdout } = await call(['./typed', 'echo', 'days=many'], { files: typed });
    expect(code).toBe(1);
    expect(stdout).toContain('Invalid arguments for tool "echo"');
  });
});
