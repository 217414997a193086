import { describe, expect, it } from 'vitest';
import type { ConfigFormat } from '../../../../src/engine/clients/client.js';
import type { Editor } from '../../../../src/engine/clients/edit/editor.js';
import { putEntry, readEntry, removeEntry } from '../../../../src/engine/clients/edit/entries.js';
import { jsonEditor } from '../../../../src/engine/clients/edit/json.js';
import { tomlEditor } from '../../../../src/engine/clients/edit/toml.js';
import { yamlEditor } from '../../../../src/engine/clients/edit/yaml.js';

/** Makes the files long: edits of shorter ones are verified on the whole texts. */
const filler = 'x'.repeat(6000);

const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);

/** Files with so many entries that only the part around a change is verified. */
const files: Record<string, readonly [format: ConfigFormat, editor: Editor, text: string]> = {
  JSON: [
    'json',
    jsonEditor(),
    `{\n  "m": {\n${keys.map((key) => `    "${key}": { "a": "${filler}", "}": [] }`).join(',\n')}\n  }\n}\n`,
  ],
  'JSON with comments': [
    'jsonc',
    jsonEditor(),
    `{"m":{${keys.map((key) => `\n/* } */ "${key}": {"a": "${filler}"},// {`).join('')}\n},}`,
  ],
  TOML: [
    'toml',
    tomlEditor(),
    keys
      .map((key) => `[m.${key}]\na = """\n[m.k1]\n${filler}\n"""\n\n[m.${key}.e]\nb = [\n  1, # ]\n]\n`)
      .join('\n'),
  ],
  YAML: [
    'yaml',
    yamlEditor(),
    `x: 1\nm:\n${keys.map((key) => `  ${key}:\n    a: |\n      k1: 1\n      ${filler}\n\n    b: two\n      lines\n  # of ${key}\n`).join('')}z: 2\n`,
  ],
};

describe.each(Object.entries(files))('a large file of %s', (_, [format, editor, text]) => {
  const place = (key: string) => ({ format, container: { path: ['m'], shape: 'map' as const }, key });

  it.each(['new', 'k0', 'k20', 'k39'])('gets its bytes back after an edit of %s', async (key) => {
    const former = await readEntry(text, place(key));
    const edited = await putEntry(text, place(key), { ...former, c: 'x' });
    expect(await readEntry(edited, place(key))).toEqual({ ...former, c: 'x' });
    const back = former ? await putEntry(edited, place(key), former) : await removeEntry(edited, place(key));
    expect(back).toBe(text);
  });

  it('is not accepted with a change elsewhere', async () => {
    const edited = await putEntry(text, place('k20'), { a: 'x' });
    const steps = [{ path: ['m', 'k20'], value: { a: 'x' } }];
    expect(editor.isChangedBy(steps, { before: text, after: edited })).toBe(true);
    for (const key of ['k1', 'k19', 'k21', 'k38']) {
      const at = edited.search(new RegExp(`\\b${key}\\b(?!\\])(?!: 1)`));
      const after = `${edited.slice(0, at)}other${edited.slice(at + key.length)}`;
      expect(editor.isChangedBy(steps, { before: text, after }), key).toBe(false);
    }
  });
});
