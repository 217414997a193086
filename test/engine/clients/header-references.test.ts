import { describe, expect, test } from 'vitest';
import { joinFields, schemeOf } from '../../../src/engine/clients/header-references.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { remoteShapeOf } from '../../../src/engine/clients/table/remote-shapes.js';
import { writable } from './support/rows.js';

const referenceOf = (id: string, name = 'Authorization', prefix = 'Bearer ') =>
  remoteShapeOf(writable(id))?.headerReference?.({
    name,
    prefix,
    variable: 'KIT_KEY',
    key: 'kit',
    client: writable(id).name,
  });

const all = writableClients.map(({ id }) => [id, referenceOf(id)] as const);

describe('the secret of a header', () => {
  test('is a reference within the header', () => {
    const values = all.flatMap(([id, reference]) => (reference?.value ? [[id, reference.value]] : []));
    expect(Object.fromEntries(values)).toEqual({
      goose: `Bearer \${KIT_KEY}`,
      'claude-code': `Bearer \${KIT_KEY}`,
      'gemini-cli': `Bearer \${KIT_KEY}`,
      'qwen-code': `Bearer \${KIT_KEY}`,
      opencode: 'Bearer {env:KIT_KEY}',
      'kilo-code': 'Bearer {env:KIT_KEY}',
      crush: `Bearer \${KIT_KEY}`,
      cline: `Bearer \${env:KIT_KEY}`,
      'roo-code': `Bearer \${env:KIT_KEY}`,
      droid: `Bearer \${KIT_KEY}`,
      'grok-build': `Bearer \${KIT_KEY}`,
      pi: `Bearer \${KIT_KEY}`,
      mcporter: `Bearer \${KIT_KEY}`,
      mastracode: `Bearer \${KIT_KEY}`,
      continue: `Bearer \${{ secrets.KIT_KEY }}`,
      vscode: `Bearer \${input:kit_KIT_KEY}`,
      'vscode-insiders': `Bearer \${input:kit_KIT_KEY}`,
      cursor: `Bearer \${env:KIT_KEY}`,
      windsurf: `Bearer \${env:KIT_KEY}`,
      kiro: `Bearer \${KIT_KEY}`,
    });
  });

  test('is a variable that a field names', () => {
    const fields = all.flatMap(([id, reference]) => (reference?.fields ? [[id, reference.fields]] : []));
    expect(Object.fromEntries(fields)).toEqual({
      goose: { env_keys: ['KIT_KEY'] },
      codex: { bearer_token_env_var: 'KIT_KEY' },
      'kimi-code': { bearerTokenEnvVar: 'KIT_KEY' },
      fx: { bearer_token_env: 'KIT_KEY' },
    });
  });

  test('has no place in other clients', () => {
    expect(all.flatMap(([id, reference]) => (reference === undefined ? [id] : []))).toEqual([
      'claude-desktop',
      'lm-studio',
      'witsy',
      'boltai',
      'raycast',
      'copilot-cli',
      'amp',
      'auggie',
      'amazon-q',
      'devin-cli',
      'warp',
      'zed',
      'junie',
      'antigravity',
      'augment-vscode',
      'visual-studio',
      'github-copilot-jetbrains',
      'trae',
    ]);
  });

  test('is the whole value of other headers and schemes', () => {
    expect(referenceOf('codex', 'X-Key', '')?.fields).toEqual({ env_http_headers: { 'X-Key': 'KIT_KEY' } });
    expect(referenceOf('codex', 'Authorization', 'Basic ')?.fields).toEqual({
      env_http_headers: { Authorization: 'KIT_KEY' },
    });
    expect(referenceOf('fx', 'X-Key', '')?.fields).toEqual({ header_env: { 'X-Key': 'KIT_KEY' } });
    expect(referenceOf('fx', 'authorization', 'Basic ')).toBeUndefined();
    expect(referenceOf('kimi-code', 'X-Key', '')).toBeUndefined();
    expect(referenceOf('cursor', 'X-Key', '')?.value).toBe(`\${env:KIT_KEY}`);
  });

  test('has a source that the hint names', () => {
    const scheme = 'The value is the part after "Bearer ".';
    expect(referenceOf('claude-code')?.hint).toBe(
      `Set KIT_KEY in the environment that Claude Code starts from. ${scheme}`,
    );
    expect(referenceOf('vscode')?.hint).toBe(
      `Visual Studio Code asks for it when it first starts the server. ${scheme}`,
    );
    expect(referenceOf('codex', 'X-Key', '')?.hint).toBe(
      'Set KIT_KEY in the environment that Codex starts from.',
    );
    expect(referenceOf('vscode')?.additions).toHaveLength(1);
  });
});

test.each([
  ['Authorization', 'Bearer abc', 'Bearer '],
  ['proxy-authorization', 'Basic YTpi', 'Basic '],
  ['Authorization', 'abc', ''],
  ['Authorization', 'a b c', ''],
  ['X-Key', 'Bearer abc', ''],
])('the scheme of %s: %s is "%s"', (name, value, scheme) => expect(schemeOf(name, value)).toBe(scheme));

test('joins lists and maps of several references', () => {
  expect(
    joinFields([{ a: ['x'], b: { c: '1' }, d: 'old' }, { a: ['y'], b: { e: '2' } }, { d: 'new' }]),
  ).toEqual({ a: ['x', 'y'], b: { c: '1', e: '2' }, d: 'new' });
});
