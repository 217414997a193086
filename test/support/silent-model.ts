import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from './file-jobs.js';

const open: Server[] = [];

afterFile(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({
    id: 'answer',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'none',
    choices: [{ index: 0, finish_reason: null, ...choice }],
  })}\n\n`;

const answer = [
  chunk({ delta: { role: 'assistant', content: 'Nothing.' } }),
  chunk({ delta: {}, finish_reason: 'stop' }),
  'data: [DONE]\n\n',
].join('');

/** A model on this machine, as OpenAI's chat completions serve one. It has nothing to say, and knows what it was offered. */
export class SilentModel {
  readonly url: string;
  readonly #offered = new Set<string>();

  private constructor(url: string) {
    this.url = url;
  }

  /** Starts a model, which is gone after the test file. */
  static async open(): Promise<SilentModel> {
    const server = createServer();
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const model = new SilentModel(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    server.on('request', async (request, response) => {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      const { tools = [] } = body === '' ? {} : JSON.parse(body);
      for (const tool of tools) model.#offered.add(tool.function?.name);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
    });
    return model;
  }

  /** The names of the tools that it was offered since this was asked last. */
  takeOffered(): readonly string[] {
    const names = [...this.#offered];
    this.#offered.clear();
    return names;
  }
}
