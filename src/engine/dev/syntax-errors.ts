import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { LocatedDiagnostic } from '../validate/validate.js';

/**
 * Finds syntax errors in JavaScript files of a package. For a module that another one imports, Node
 * reports no position. `files` are relative to the package folder.
 */
export async function findSyntaxErrors(
  directory: string,
  files: Iterable<string>,
): Promise<readonly LocatedDiagnostic[]> {
  const { parse } = await import('acorn');
  const checks = [...files]
    .filter((file) => /\.[cm]?js$/.test(file))
    .map(async (file) => {
      const source = await readFile(path.join(directory, file), 'utf8').catch(() => '');
      const check = (sourceType: 'module' | 'script') =>
        void parse(source, { sourceType, ecmaVersion: 'latest', allowHashBang: true });
      try {
        check(file.endsWith('.cjs') ? 'script' : 'module');
        return [];
      } catch (error) {
        if (!file.endsWith('.mjs') && passes(() => check('script'))) return [];
        return [syntaxError(file, error)];
      }
    });
  return (await Promise.all(checks)).flat();
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

function syntaxError(file: string, error: unknown): LocatedDiagnostic {
  const loc = isRecord(error) && isRecord(error.loc) ? error.loc : {};
  return {
    code: 'definition-failed',
    severity: 'error',
    message: errorMessage(error).replace(/ \(\d+:\d+\)$/, '.'),
    file,
    line: Number(loc.line ?? 1),
    column: Number(loc.column ?? 0) + 1,
    help: 'agenttools explain definition-failed',
  };
}
