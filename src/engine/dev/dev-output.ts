import { Writable } from 'node:stream';

/** Characters of the output that a late page gets. */
const keptText = 20_000;

/** Stderr of a server in development: goes to the terminal and to pages. */
export class DevOutput {
  /** The end of the output. */
  text = '';
  readonly stream: Writable;
  onText: (text: string) => void = () => {};

  constructor(target: Writable) {
    this.stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        const text = chunk.toString('utf8');
        this.text = (this.text + text).slice(-keptText);
        this.onText(text);
        if (target.destroyed || target.writableEnded) done();
        else target.write(chunk, () => done());
      },
    });
    // Each host listens, and several may end at once.
    this.stream.setMaxListeners(0);
    // Without a reader, output is dropped and the server goes on.
    target.on('error', () => {});
  }
}
