import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** One temporary folder for a whole test run: tests and their programs write below it, and it is removed at the end. */
export function setup(): () => void {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'agenttools-test-')));
  process.env.TMPDIR = root;
  process.env.TEMP = root;
  return () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
