import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import {
  commandReference,
  describeReference,
  formatReference,
  readServerReference,
  type ServerReference,
} from '../../../src/engine/existing-servers/server-reference.js';
import { runs } from '../../support/runs.js';

const digest = `sha256:${'a'.repeat(64)}`;

const parts = [
  ...['@', '/', ':', '.', '#', '==', '~', '\\', ' ', '-'],
  ...['npm:', 'pypi:', 'docker:', 'nuget:', 'registry:', 'mcpb:', 'file:', 'https://', 'http://'],
  ...['acme', 'mcp', '1.2', 'io.github.acme', 'ghcr.io', 'server.json', '.json', '.mcpb', '[x]', 'latest'],
];

describe('a reference', () => {
  test.for([
    ['trip', { kind: 'name', text: 'trip', npm: { kind: 'npm', name: 'trip' }, isBare: true }],
    [
      'trip@1.2',
      { kind: 'name', text: 'trip@1.2', npm: { kind: 'npm', name: 'trip', version: '1.2' }, isBare: true },
    ],
    ['weather/forecast', { kind: 'name', text: 'weather/forecast' }],
    ['@acme/weather/weather', { kind: 'name', text: '@acme/weather/weather' }],
    [
      '@playwright/mcp',
      { kind: 'name', text: '@playwright/mcp', npm: { kind: 'npm', name: '@playwright/mcp' } },
    ],
    [
      '@playwright/mcp@1.2.3',
      {
        kind: 'name',
        text: '@playwright/mcp@1.2.3',
        npm: { kind: 'npm', name: '@playwright/mcp', version: '1.2.3' },
      },
    ],
    ['npm:mcp', { kind: 'npm', name: 'mcp' }],
    ['npm:@acme/mcp@^1.2#serve', { kind: 'npm', name: '@acme/mcp', version: '^1.2', bin: 'serve' }],
    ['https://mcp.example.com/mcp', { kind: 'url', url: 'https://mcp.example.com/mcp' }],
    ['http://127.0.0.1:3000/sse', { kind: 'url', url: 'http://127.0.0.1:3000/sse' }],
    ['io.github.acme/tickets', { kind: 'registry', name: 'io.github.acme/tickets' }],
    ['io.github.acme/tickets@1.2.3', { kind: 'registry', name: 'io.github.acme/tickets', version: '1.2.3' }],
    ['registry:com.acme/x1', { kind: 'registry', name: 'com.acme/x1' }],
    ['pypi:mcp-server-fetch', { kind: 'pypi', name: 'mcp-server-fetch' }],
    ['mcp-server-fetch==2025.4.7', { kind: 'pypi', name: 'mcp-server-fetch', version: '2025.4.7' }],
    ['uvx:mcp_fetch@1.0', { kind: 'pypi', name: 'mcp_fetch', version: '1.0' }],
    ['uvx:mcp_fetch@latest', { kind: 'pypi', name: 'mcp_fetch' }],
    ['markitdown[all]==1.0', { kind: 'pypi', name: 'markitdown[all]', version: '1.0' }],
    ['pypi:acme==1.0#serve', { kind: 'pypi', name: 'acme', version: '1.0', script: 'serve' }],
    ['npm:acme@>=1 <2', { kind: 'npm', name: 'acme', version: '>=1 <2' }],
    [
      '@acme/mcp#serve',
      {
        kind: 'name',
        text: '@acme/mcp#serve',
        npm: { kind: 'npm', name: '@acme/mcp', bin: 'serve' },
      },
    ],
    ['trip@file:../evil', { kind: 'name', text: 'trip@file:../evil' }],
    ['docker:mcp/postgres', { kind: 'docker', image: 'mcp/postgres' }],
    ['ghcr.io/acme/tickets:1.2', { kind: 'docker', image: 'ghcr.io/acme/tickets:1.2' }],
    ['ghcr.io/acme', { kind: 'docker', image: 'ghcr.io/acme' }],
    [`registry.acme.example/a/b@${digest}`, { kind: 'docker', image: `registry.acme.example/a/b@${digest}` }],
    ['localhost:5000/acme', { kind: 'docker', image: 'localhost:5000/acme' }],
    ['nuget:Acme.Mcp@1.0.0-beta', { kind: 'nuget', name: 'Acme.Mcp', version: '1.0.0-beta' }],
    ['./server.mcpb', { kind: 'bundle', place: './server.mcpb', isRemote: false }],
    ['server.dxt', { kind: 'bundle', place: 'server.dxt', isRemote: false }],
    [
      'https://x.example/a/b.mcpb?v=1',
      { kind: 'bundle', place: 'https://x.example/a/b.mcpb?v=1', isRemote: true },
    ],
    ['mcp.json', { kind: 'document', place: 'mcp.json', isRemote: false }],
    ['./mcp.json#github', { kind: 'document', place: './mcp.json', isRemote: false, choice: 'github' }],
    [
      '~/.codex/config.toml#fs',
      { kind: 'document', place: '~/.codex/config.toml', isRemote: false, choice: 'fs' },
    ],
    [
      'https://acme.example/server.json',
      { kind: 'document', place: 'https://acme.example/server.json', isRemote: true },
    ],
    ['./plugin/weather', { kind: 'path', path: './plugin/weather' }],
    ['.', { kind: 'path', path: '.' }],
    ['/opt/my servers/plugin', { kind: 'path', path: '/opt/my servers/plugin' }],
    ['file:///opt/my%20servers/plugin', { kind: 'path', path: '/opt/my servers/plugin' }],
    ['file:///C:/plugin', { kind: 'path', path: 'C:/plugin' }],
    ['C:\\plugin', { kind: 'path', path: 'C:\\plugin' }],
  ] as const)('%s is understood', ([text, reference]) => {
    expect(readServerReference(text)).toEqual(reference);
  });

  test.for([
    ['', 'An empty text names no server'],
    ['a\n\u001b[31mb', '"a\\n\\u001b[31mb" contains blanks'],
    [' trip', 'Remove the blanks around it'],
    ['npx -y server', 'Write a command after "--": -- npx -y server'],
    ['npm:', 'Expected the form of: npm:@playwright/mcp@1.2.3'],
    ['npm:../evil', 'is malformed'],
    ['npm://acme', 'is malformed'],
    ['file:///a%00b', 'is malformed'],
    ['npm:acme@git+https://x.example/a.git', 'is malformed'],
    ['npm:acme@file:../evil', 'is malformed'],
    ['npm:acme@npm:evil', 'is malformed'],
    ['pypi:acme#--index-url', 'is malformed'],
    ['mcpb:https://', 'is not a valid URL'],
    ['file:https://x.example/a.json', 'Expected the form of: file:./server.json'],
    ['mcpb:https://me:secret@x.example/a', 'The URL https://x.example/a must not contain a user'],
    ['docker:-v /:/host', 'is malformed'],
    ['pypi:--index-url=x', 'is malformed'],
    ['registry:tickets', 'Expected the form of: registry:io.github.acme/tickets'],
    ['github:acme/tickets', 'clone the repository'],
    [
      'https://me:secret@x.example/mcp',
      'The URL https://x.example/mcp must not contain a user or a password.',
    ],
    ['http://x.example/a.mcpb', 'is a bundle without https'],
  ] as const)('%s is refused', ([text, message]) => {
    expect(() => readServerReference(text)).toThrow(message);
  });

  test('keeps the words of a command', () => {
    expect(commandReference(['python', 'a b.py'])).toEqual({ kind: 'command', words: ['python', 'a b.py'] });
    expect(() => commandReference([])).toThrow('the command of a server is expected');
  });

  test.for([
    ['file:plugin', 'file:plugin'],
    ['file:./plugin', './plugin'],
    ['file:a b.json', 'file:a b.json'],
    ['file:mcp.json#github', 'mcp.json#github'],
    ['mcpb:https://x.example/a', 'mcpb:https://x.example/a'],
    ['mcpb:https://x.example/a.mcpb', 'https://x.example/a.mcpb'],
    ['registry:ghcr.io/acme', 'registry:ghcr.io/acme'],
    ['registry:io.github.acme/tickets', 'io.github.acme/tickets'],
    ['uvx:acme@1.0#serve', 'pypi:acme@1.0#serve'],
  ] as const)('%s is spelled %s', ([text, spelling]) => {
    expect(formatReference(readServerReference(text))).toBe(spelling);
  });

  test.for([
    ['of parts', fc.array(fc.constantFrom(...parts), { maxLength: 7 }).map((all) => all.join(''))],
    [
      'of a part and any text',
      fc.tuple(fc.constantFrom(...parts), fc.string({ unit: 'binary' })).map((all) => all.join('')),
    ],
  ] as const)('%s is read or refused, and means the same in its canonical spelling', ([, texts]) => {
    fc.assert(
      fc.property(texts, (text) => {
        const reference = readOrRefuse(text);
        if (!reference) return;
        expect(describeReference(reference)).toBeTruthy();
        expect(readServerReference(formatReference(reference)!)).toEqual(reference);
      }),
      { numRuns: runs },
    );
  });
});

/** Undefined for refused text. Other errors pass. */
function readOrRefuse(text: string): ServerReference | undefined {
  try {
    return readServerReference(text);
  } catch (error) {
    if (error instanceof AgentToolsError) return undefined;
    throw error;
  }
}
