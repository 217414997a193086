import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { eventually, type Message } from './program.js';

/** Longest wait for a port, in milliseconds. Only a fault takes as long. */
const patienceMs = 25_000;

/** A debugger of a Node process. Node 20 has no WebSocket client. */
export class InspectorClient {
  readonly events: Message[] = [];
  readonly #socket: Socket;
  readonly #answers = new Map<number, (answer: Message) => void>();
  #buffer: Buffer;
  #last = 0;

  private constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#buffer = head;
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        this.#buffer = Buffer.concat([this.#buffer, chunk]);
        this.#read();
      });
    this.#read();
  }

  /** Connects to the process that listens on a port, as soon as it does. */
  static async attach(port: number): Promise<InspectorClient> {
    const deadline = performance.now() + patienceMs;
    let targets = await listTargets(port);
    while (targets === undefined) {
      if (performance.now() > deadline) throw new Error(`No debugger port ${port} opened.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      targets = await listTargets(port);
    }
    const url = new URL(targets[0].webSocketDebuggerUrl);
    const upgrade = get({
      host: url.hostname,
      port: url.port,
      path: url.pathname,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      },
    });
    const [, socket, head] = await once(upgrade, 'upgrade');
    return new InspectorClient(socket, head);
  }

  /** The result of a method. */
  async send(method: string, params: object = {}): Promise<Message> {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise<Message>((resolve) => this.#answers.set(id, resolve));
    this.#write(JSON.stringify({ id, method, params }));
    const { result, error } = await answer;
    if (error) throw new Error(error.message);
    return result;
  }

  /** The next event of a method, past or future. */
  async event(method: string): Promise<Message> {
    const isIt = (one: Message) => one.method === method;
    await eventually(() => this.events.some(isIt), method);
    return this.events.splice(this.events.findIndex(isIt), 1)[0].params;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Writes one text frame. @see RFC 6455, section 5.2 */
  #write(text: string): void {
    const body = Buffer.from(text);
    const mask = randomBytes(4);
    const head = Buffer.alloc(4);
    head.writeUInt8(0x81, 0);
    head.writeUInt8(0x80 | 126, 1);
    head.writeUInt16BE(body.length, 2);
    this.#socket.write(Buffer.concat([head, mask, body.map((byte, index) => byte ^ mask[index % 4]!)]));
  }

  #read(): void {
    while (this.#buffer.length >= 2) {
      const short = this.#buffer[1]! & 0x7f;
      const headLength = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.#buffer.length < headLength) return;
      const length =
        short === 126
          ? this.#buffer.readUInt16BE(2)
          : short === 127
            ? Number(this.#buffer.readBigUInt64BE(2))
            : short;
      if (this.#buffer.length < headLength + length) return;
      const isText = (this.#buffer[0]! & 0x0f) === 1;
      const body = this.#buffer.subarray(headLength, headLength + length).toString();
      this.#buffer = this.#buffer.subarray(headLength + length);
      if (isText) this.#take(JSON.parse(body));
    }
  }

  #take(message: Message): void {
    const settle = this.#answers.get(message.id);
    if (!settle) {
      this.events.push(message);
      return;
    }
    this.#answers.delete(message.id);
    settle(message);
  }
}

async function listTargets(port: number): Promise<Message> {
  return await new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/json/list' }, (response) => resolve(json(response))).on(
      'error',
      () => resolve(undefined),
    );
  });
}
