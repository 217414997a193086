import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import {
  expectDone,
  ProcessStage,
  type Run,
  Stage,
  subjectOf,
  writeImagesPreload,
} from '../support/torture.js';

describe.skipIf(process.platform === 'win32')('a command that dies at any step', () => {
  let preload: string;

  beforeAll(async () => {
    preload = await writeImagesPreload();
  });

  /** Runs a command in a process that copies its home at every moment at which the files on the disk can differ. */
  async function imagesOf(
    run: (env: Readonly<Record<string, string>>) => Promise<Run>,
  ): Promise<readonly string[]> {
    const images = writeFolder();
    expectDone(await run({ NODE_OPTIONS: `--import ${preload}`, IMAGES: images }));
    return readdirSync(images).map((name) => path.join(images, name));
  }

  test.each([
    ['vscode', 'install', []],
    ['codex', 'uninstall', ['install']],
    ['goose', 'undo', ['install']],
    ['continue', 'undo', ['install', 'uninstall']],
    ['vscode', 'undo --redo', ['install', 'undo']],
  ] as const)('%s: undo restores the bytes after %s', async (id, command, earlier) => {
    const subject = subjectOf(id);
    const stage = new ProcessStage(subject, subject.ugly);
    const again = new Stage(subject, undefined, stage.home);
    for (const word of earlier) expectDone(await (word === 'undo' ? again.run(['undo']) : again[word]()));
    const before = stage.text;
    const images = await imagesOf(async (env) =>
      command === 'install' || command === 'uninstall'
        ? await stage[command]([], { env })
        : await stage.run(command.split(' '), { env }),
    );
    const after = stage.text;
    expect(images.length).toBeGreaterThan(10);
    const seen = new Set<string | null>();
    for (const image of images) {
      rmSync(stage.home, { recursive: true });
      renameSync(image, stage.home);
      expect([before, after], image).toContain(stage.text);
      seen.add(stage.text);
      const history = await again.run(['history']);
      expect(history, image).toMatchObject({ code: 0, stderr: '' });
      expectDone(await again.run(['undo', '9']));
      expect(stage.text, image).toBe(subject.ugly);
      const listed = await again.run(['list-installed', '--json']);
      expect(JSON.parse(listed.stdout), image).toEqual([]);
    }
    expect(seen.size).toBe(2);
  });
});
