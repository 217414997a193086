import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a package into a folder that lasts as long as the test. Values that are no text are written as JSON. */
export async function makePackage(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agenttools-validate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFiles(folder, files);
  return folder;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** A package.json that gives no reason to complain. */
export function packageJson(agenttools: unknown, more: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    name: 'greeter',
    version: '1.0.0',
    type: 'module',
    keywords: ['agenttools-extension'],
    agenttools,
    ...more,
  };
}

/** A tool in code that is in order, with a statement before it. */
export function toolModule(statement = ''): string {
  return `${statement}\nexport default { description: 'Says hello.', handler: () => 'Hello.' };\n`;
}
