import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import { checkShape, type ShapeFault } from './check-shape.js';
import { sandboxShape } from './keys/sandbox-keys.js';

/** Checks the permissions of a sandbox: their keys, and the forms of hosts, programs and names. */
export function* checkSandbox(written: unknown, at: DocumentPath = []): Generator<ShapeFault> {
  if (!isRecord(written)) {
    yield { path: at, problem: 'type', expected: 'an object' };
    return;
  }
  yield* checkShape(written, sandboxShape, at);
  yield* checkSandboxForms(written, at);
}

/** Checks the forms of hosts, programs and names. */
export function* checkSandboxForms(
  written: Readonly<Record<string, unknown>>,
  at: DocumentPath = [],
): Generator<ShapeFault> {
  for (const [key, { form, expected }] of Object.entries(forms)) {
    const list = written[key];
    for (const [index, one] of (Array.isArray(list) ? list : []).entries()) {
      if (typeof one !== 'string' || form.test(one)) continue;
      yield { path: [...at, key, index], problem: 'value', expected };
    }
  }
}

const forms = {
  network: {
    // An IPv6 address has brackets.
    form: /^(?:\*|(?:(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)$/,
    expected: 'a host without scheme and path, such as "api.acme.example" or "localhost:8080"',
  },
  run: {
    form: /^(?:\/[^\0]+|[^\0/]+)$/,
    expected: 'a name on the PATH such as "git", or an absolute path',
  },
  env: { form: /^[A-Za-z_][A-Za-z0-9_]*$/, expected: 'the name of a variable, such as "API_KEY"' },
} as const;
