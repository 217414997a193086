import { describe, expect, test } from 'vitest';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { writable } from './support/rows.js';

describe('how each client is made to take a value from elsewhere', () => {
  const references = writableClients.map(
    ({ id, name, secretReference }) => [id, secretReference?.('API_KEY', 'my-server', name)] as const,
  );

  test('in place of the value', () => {
    const values = references.flatMap(([id, reference]) =>
      reference?.value === undefined ? [] : [[id, reference.value]],
    );
    expect(Object.fromEntries(values)).toEqual({
      'claude-code': `\${API_KEY}`,
      'gemini-cli': `\${API_KEY}`,
      'qwen-code': `\${API_KEY}`,
      'copilot-cli': `\${API_KEY}`,
      opencode: '{env:API_KEY}',
      'kilo-code': '{env:API_KEY}',
      crush: '$API_KEY',
      cline: `\${env:API_KEY}`,
      'roo-code': `\${env:API_KEY}`,
      droid: `\${API_KEY}`,
      'grok-build': `\${API_KEY}`,
      pi: `\${API_KEY}`,
      mcporter: `\${API_KEY}`,
      mastracode: '$API_KEY',
      continue: `\${{ secrets.API_KEY }}`,
      vscode: `\${input:my_server_API_KEY}`,
      'vscode-insiders': `\${input:my_server_API_KEY}`,
      cursor: `\${env:API_KEY}`,
      windsurf: `\${env:API_KEY}`,
      kiro: `\${API_KEY}`,
      'visual-studio': `\${input:my_server_API_KEY}`,
    });
  });

  test('by a list of names', () => {
    const fields = references.flatMap(([id, reference]) =>
      reference?.fields ? [[id, reference.fields]] : [],
    );
    expect(Object.fromEntries(fields)).toEqual({
      codex: { env_vars: ['API_KEY'] },
      goose: { env_keys: ['API_KEY'] },
    });
  });

  test.each(['vscode', 'vscode-insiders', 'visual-studio'])(
    '%s asks, and the question goes with the entry',
    (id) => {
      const { additions } = writable(id).secretReference!('API_KEY', 'my-server', 'Some client');
      const item = {
        id: 'my_server_API_KEY',
        type: 'promptString',
        description: 'API_KEY for my-server',
        password: true,
      };
      expect(additions).toEqual([{ list: ['inputs'], item }]);
    },
  );

  test('every other one has no way to', () => {
    expect(references.filter(([, reference]) => reference === undefined).map(([id]) => id)).toEqual([
      'claude-desktop',
      'lm-studio',
      'witsy',
      'boltai',
      'raycast',
      'amp',
      'auggie',
      'kimi-code',
      'amazon-q',
      'fx',
      'devin-cli',
      'warp',
      'zed',
      'junie',
      'antigravity',
      'augment-vscode',
      'github-copilot-jetbrains',
      'trae',
    ]);
  });

  test('names the source of the value for the user', () => {
    const untold = references.filter(
      ([, reference]) => reference && !/API_KEY|asks for it/.test(reference.hint),
    );
    expect(untold).toEqual([]);
  });

  test('in a sentence that names the client', () => {
    const { name, secretReference } = writable('claude-code');
    expect(secretReference!('API_KEY', 'my-server', name).hint).toBe(
      'Set API_KEY in the environment that Claude Code starts from.',
    );
    const odd = references.filter(([, reference]) => reference && !/^[A-Z].*\.$/.test(reference.hint));
    expect(odd).toEqual([]);
  });
});
