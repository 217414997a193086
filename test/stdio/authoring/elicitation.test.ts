import { describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { connect, type Revision, revisions } from '../../support/official-client.js';
import type { Message } from '../../support/program.js';
import { serveHere } from '../../support/serving-here.js';
import { wireFaults } from '../../support/wire-schema.js';

/** One copy per revision: its modules keep state. */
const install = () => `${installFixture('authoring')}/elicitation`;
const servers = Object.fromEntries(revisions.map((revision) => [revision, install()]));

type Answer = object | ((params: Message) => object);

/** A client whose user gives these answers, by what is asked; whoever asks anything else is refused. */
async function withAnswers(revision: Revision, answers: Readonly<Record<string, Answer>>) {
  const asked: Message[] = [];
  const answering = (params: Message) => {
    asked.push(params);
    const answer = answers[params.message];
    if (answer === undefined) throw new Error(`Nobody expected to be asked: ${params.message}`);
    return typeof answer === 'function' ? answer(params) : answer;
  };
  const connected = await connect(servers[revision]!, {
    revision,
    capabilities: { elicitation: { form: {}, url: {} } },
    answers: { 'elicitation/create': answering },
  });
  return { ...connected, asked };
}

const accept = (content: object) => ({ action: 'accept', content });

describe.each(revisions)('a tool that asks (%s)', (revision) => {
  test('is answered with what the user filled in [L-60, L-61, L-63]', async () => {
    const { textOf, asked } = await withAnswers(revision, { 'What is your name?': accept({ name: 'Ada' }) });
    expect(await textOf('ask_name')).toBe('Hello, Ada!');
    expect(asked).toMatchObject([
      {
        message: 'What is your name?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string', minLength: 1 } },
          required: ['name'],
        },
      },
    ]);
  });

  test.each([
    ['decline', 'No name was given.'],
    ['cancel', 'Never mind.'],
  ])('receives %s from a user who does not answer [L-61]', async (action, said) => {
    const { textOf } = await withAnswers(revision, { 'What is your name?': { action } });
    expect(await textOf('ask_name')).toBe(said);
  });

  test('asks several times in one call, each question once [L-60]', async () => {
    const { textOf, asked } = await withAnswers(revision, {
      'Which colour do you like?': accept({ colour: 'green' }),
      'Which animal do you like?': { action: 'decline' },
      'Which number do you like?': accept({ number: 'seven' }),
    });
    expect(await textOf('interview')).toBe('green, decline, seven');
    expect(asked).toHaveLength(3);
  });

  test('asks several things at once [L-60, L-68]', async () => {
    const { textOf, asked } = await withAnswers(revision, {
      'What comes first?': accept({ what: 'tea' }),
      'What comes second?': accept({ what: 'cake' }),
    });
    expect(await textOf('together')).toBe('tea before cake');
    expect(asked).toHaveLength(2);
  });

  test('gets values of the types it asked for, choices and defaults too [L-60, L-61]', async () => {
    const { call, asked } = await withAnswers(revision, {
      'Tell about your journey.': accept({ days: 3, bags: '2', mail: 'ada@acme.example' }),
    });
    expect((await call('form')).structuredContent).toEqual({
      answer: {
        action: 'accept',
        content: { days: 3, class: 'second', bags: 2, insured: false, mail: 'ada@acme.example' },
      },
    });
    expect(asked[0].requestedSchema.properties).toMatchObject({
      days: { type: 'integer', minimum: 1, maximum: 30 },
      class: { type: 'string', enum: ['first', 'second'] },
      insured: { type: 'boolean', default: false },
      mail: { type: 'string', format: 'email' },
    });
  });

  test('has its own JSON Schema passed through, titles of choices too [L-67]', async () => {
    const { call, asked } = await withAnswers(revision, { 'Which size?': accept({ size: 'm' }) });
    expect((await call('raw-form')).structuredContent.answer.content).toEqual({ size: 'm' });
    expect(asked[0].requestedSchema.properties.size).toEqual({
      type: 'string',
      enum: ['s', 'm'],
      enumNames: ['Small', 'Medium'],
    });
  });

  test('does once what may not be done twice [L-60, L-68]', async () => {
    const { call } = await withAnswers(revision, {
      'Where to?': accept({ place: 'Ostwick' }),
      'When?': accept({ day: 'Monday' }),
    });
    const ticket = async () => (await call('ticket')).structuredContent;
    expect(await ticket()).toEqual({ number: 1, taken: 1, place: 'Ostwick', day: 'Monday' });
    expect(await ticket()).toEqual({ number: 2, taken: 2, place: 'Ostwick', day: 'Monday' });
  });

  test('sends the user to an address [L-66]', async () => {
    const { call, asked } = await withAnswers(revision, { 'Sign in over there.': { action: 'accept' } });
    expect((await call('visit')).structuredContent).toEqual({ action: 'accept' });
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://acme.example/sign-in' }]);
  });

  test('is asked for in prompts and resources too [L-60, L-68]', async () => {
    const { client } = await withAnswers(revision, {
      'To whom?': accept({ name: 'Ada' }),
      'What is the word?': accept({ word: 'please' }),
    });
    expect((await client.getPrompt({ name: 'letter' })).messages).toMatchObject([
      { content: { text: 'Write to Ada.' } },
    ]);
    expect((await client.readResource({ uri: 'kit://diary' })).contents).toMatchObject([
      { text: 'dear diary' },
    ]);
  });
});

describe.each(revisions)('a client without input support (%s)', (revision) => {
  const open = async () => await connect(servers[revision]!, { revision });

  /** A failed result in the one era, an error of the protocol in the other. */
  async function refusal(call: Promise<Message>): Promise<Message> {
    return await call.then(
      ({ isError, content }) => ({ isError, said: content[0].text }),
      ({ code, message, data }) => ({ code, said: message, data }),
    );
  }

  test.each(['ask_name', 'demanding', 'visit'])(
    'nothing is asked, and the tool fails by its name (%s) [L-02, L-35, L-64]',
    async (name) => {
      const { call, spoken } = await open();
      const said = await refusal(call(name));
      expect(said).toMatchObject(revision === '2025-11-25' ? { isError: true } : { code: -32021 });
      expect(said.said).toContain('elicitation');
      if (revision === '2026-07-28') expect(said.data.requiredCapabilities).toHaveProperty('elicitation');
      expect(JSON.stringify(spoken)).not.toContain('elicitation/create');
    },
  );

  test('a tool may find that out, and others work as ever [L-35, L-64, L-65]', async () => {
    const { call } = await open();
    expect((await call('ready')).structuredContent).toEqual({ can: false });
    const { call: asked } = await withAnswers(revision, {});
    expect((await asked('ready')).structuredContent).toEqual({ can: true });
  });

  test("the capability is not the server's to have [L-02, L-04]", async () => {
    expect((await open()).client.getServerCapabilities()).not.toHaveProperty('elicitation');
  });
});

describe.each(revisions)('the model and the folders of a client (%s)', (revision) => {
  test('are asked for like the user, where the client has them [N-74]', async () => {
    const { textOf, call } = await connect(servers[revision]!, {
      revision,
      capabilities: { sampling: {}, roots: {} },
      answers: {
        'sampling/createMessage': () => ({
          model: 'abacus',
          role: 'assistant',
          content: { type: 'text', text: 'four' },
        }),
        'roots/list': () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
      },
    });
    expect(await textOf('sample')).toBe('four');
    expect((await call('roots')).structuredContent).toEqual({
      roots: [{ uri: 'file:///work', name: 'work' }],
    });
  });

  test('are reported as missing otherwise [N-74]', async () => {
    const { call } = await connect(servers[revision]!, { revision });
    for (const name of ['sample', 'roots']) {
      const said = await call(name).then(
        ({ isError, content }) => isError && content[0].text,
        ({ code, message }) => code === -32021 && message,
      );
      expect(said).toContain(name === 'sample' ? 'sampling' : 'roots');
    }
  });
});

describe('the rounds of 2026-07-28', () => {
  const revision = '2026-07-28';

  /** A call in one round, as it is written on the pipe, and held against the schema. */
  function caller() {
    const program = serveHere(servers[revision]);
    return async (name: string, more: object = {}): Promise<Message> => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      };
      const params = { name, arguments: {}, ...more, _meta };
      const request = { jsonrpc: '2.0', id: program.freshId(), method: 'tools/call', params };
      const answer = await program.ask(request);
      const spoken = [
        { by: 'client' as const, message: request },
        { by: 'server' as const, message: answer },
      ];
      expect(wireFaults(revision, spoken)).toEqual([]);
      return answer;
    };
  }

  test('ask by a result, and go on with what it is answered [L-68]', async () => {
    const call = caller();
    const { result } = await call('ask_name');
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { e1: { method: 'elicitation/create', params: { message: 'What is your name?' } } },
    });
    expect(result).not.toHaveProperty('ttlMs');
    const { requestState } = result;
    const inputResponses = { e1: accept({ name: 'Ada' }), stray: accept({ name: 'Eve' }) };
    const { result: done } = await call('ask_name', { inputResponses, requestState });
    expect(done).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ada!' }] });
  });

  test('ask again for what was not answered, and for what was answered otherwise than asked [L-62, L-68]', async () => {
    const call = caller();
    const { requestState } = (await call('ask_name')).result;
    for (const inputResponses of [{}, { other: accept({ name: 'Ada' }) }]) {
      const { result } = await call('ask_name', { inputResponses, requestState });
      expect(result.inputRequests).toHaveProperty('e1');
    }
    for (const content of [{}, { name: 5 }, undefined]) {
      const inputResponses = { e1: { action: 'accept', content } };
      const { result } = await call('ask_name', { inputResponses, requestState });
      expect(result.inputRequests.e1.params.message).toMatch(/^What is your name\?\n\n"name" /);
    }
    const { result } = await call('ask_name', {
      inputResponses: { e1: { action: 'perhaps' } },
      requestState,
    });
    expect(result.content).toEqual([{ type: 'text', text: 'Never mind.' }]);
  });

  test('refuse a state that was changed, or is of another call [L-68]', async () => {
    const call = caller();
    const { requestState } = (await call('interview')).result;
    const inputResponses = { e1: accept({ colour: 'green' }) };
    const second = (await call('interview', { inputResponses, requestState })).result.requestState;
    const middle = Math.floor(second.length / 2);
    const changed = `${second.slice(0, middle)}${second[middle] === 'A' ? 'B' : 'A'}${second.slice(middle + 1)}`;
    for (const [name, more] of [
      ['interview', { requestState: changed }],
      ['interview', { requestState: 'made up' }],
      ['ask_name', { requestState: second }],
      ['interview', { requestState: second, arguments: { other: true } }],
    ] as const) {
      expect((await call(name, more)).error).toMatchObject({ code: -32602 });
    }
    const { result } = await call('interview', { requestState: second });
    expect(Object.keys(result.inputRequests)).toEqual(['e2']);
  });
});
