import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const newline = 0x0a;

/** A stdio client with as little work of its own as the numbers allow, and a mind for the server it started. */
export class Connection {
  #child;
  #exited;
  #stderr = '';
  #rest = Buffer.alloc(0);
  #nextId = 1;
  #waiting = new Map();
  #fail;
  #failed;

  constructor({ command, args, cwd, env }) {
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => {});
    this.#child = spawn(command, args, { cwd, env, stdio: 'pipe' });
    this.#exited = new Promise((resolve) => this.#child.on('close', resolve));
    this.#child.on('error', this.#fail);
    this.#child.on('close', (code) =>
      this.#fail(new Error(`the server ended with ${code}:\n${this.#stderr}`)),
    );
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text;
    });
    this.#child.stdout.on('data', (chunk) => this.#read(chunk));
  }

  /** Sends a request; resolves with its result as soon as the whole line has come. */
  async request(method, params) {
    const id = this.#nextId++;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#write(requestLine(id, method, params));
    return await Promise.race([answer, this.#failed]);
  }

  notify(method) {
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`);
  }

  /** Sends many requests, `window` of them under way at any time, and hands each result to `check`. */
  async flood({ count, window, method, params, check }) {
    let sent = 0;
    let answered = 0;
    let refill = 0;
    const send = (calls) => {
      const lines = [];
      for (let more = Math.min(calls, count - sent); more > 0; more -= 1) {
        const id = this.#nextId++;
        this.#waiting.set(id, take);
        lines.push(requestLine(id, method, params));
        sent += 1;
      }
      if (lines.length > 0) this.#write(lines.join(''));
    };
    let finish;
    const done = new Promise((resolve) => {
      finish = resolve;
    });
    const take = (result) => {
      try {
        check(result);
      } catch (error) {
        this.#fail(error);
      }
      answered += 1;
      if (answered === count) finish();
      // Answers that came in one chunk are followed by one write, as they would be from a busy client.
      if (refill === 0) {
        queueMicrotask(() => {
          send(refill);
          refill = 0;
        });
      }
      refill += 1;
    };
    send(window);
    await Promise.race([done, this.#failed]);
  }

  /** Milliseconds of processor time that all threads of the server have used so far; undefined where /proc is not. */
  cpuMs() {
    return this.#procfs((folder) => {
      const threads = readdirSync(`${folder}/task`);
      const nanoseconds = threads.map((thread) =>
        Number(read(`${folder}/task/${thread}/schedstat`).split(' ')[0]),
      );
      return nanoseconds.reduce((sum, part) => sum + part, 0) / 1e6;
    });
  }

  /** Mebibytes of memory that are resident, and the server's fair share of them; undefined where /proc is not. */
  memory() {
    const kib = (text, name) => Number(text.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))[1]);
    return {
      rss: this.#procfs((folder) => kib(read(`${folder}/status`), 'VmRSS') / 1024),
      pss: this.#procfs((folder) => kib(read(`${folder}/smaps_rollup`), 'Pss') / 1024),
    };
  }

  /** Lets the server go as a client does, and makes sure that it is gone before anything else is measured. */
  async close() {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 500);
    await this.#exited;
    clearTimeout(timer);
  }

  #write(lines) {
    this.#child.stdin.write(lines);
  }

  #read(chunk) {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      this.#receive(bytes.toString('utf8', start, end));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
  }

  #receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.#fail(new Error(`a line of the server is not JSON: ${line}`));
      return;
    }
    if (message.method === 'ping') {
      this.#write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} })}\n`);
      return;
    }
    const take = this.#waiting.get(message.id);
    if (take === undefined) return;
    this.#waiting.delete(message.id);
    if (message.result === undefined) this.#fail(new Error(`an error was answered: ${line}`));
    else take(message.result);
  }

  #procfs(look) {
    try {
      return look(`/proc/${this.#child.pid}`);
    } catch {
      return undefined;
    }
  }
}

const requestLine = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

const read = (file) => readFileSync(file, 'utf8');
