import os from 'node:os';
import path from 'node:path';
import type { Diagnostic } from '../../../../src/engine/extension/diagnostics.js';
import { Workspace } from '../../../../src/engine/extension/workspace.js';
import { Inspector, type InspectorOptions, ModuleParser } from '../../../../src/engine/validate/inspector.js';
import type { ValidateOptions } from '../../../../src/engine/validate/validate.js';
import { afterFile } from '../../../support/file-jobs.js';

export const fixtures = new URL('../../../../fixtures/extensions/', import.meta.url).pathname;

const builtinFolder = new URL('../../../../src/builtin/', import.meta.url).pathname;

/**
 * One inspector for all extensions of a test file. It is for modules that harm no other and are not changed once they are
 * loaded; for others there is {@link inspectAlone}.
 */
class SharedInspector extends Inspector {
  override close(): void {}

  end(): void {
    super.close();
  }
}

let parser: ModuleParser | undefined;
let shared: SharedInspector | undefined;

afterFile(() => {
  shared?.end();
  parser?.close();
  [shared, parser] = [undefined, undefined];
});

function openParser(): ModuleParser {
  parser ??= new ModuleParser(10_000);
  return parser;
}

function openShared(): SharedInspector {
  shared ??= new SharedInspector({ timeoutMs: 10_000, parser: openParser() });
  return shared;
}

/** Makes the inspector of one extension, as the program does: its modules are loaded in a process for them alone. */
export function inspectAlone(limits: InspectorOptions): Inspector {
  return new Inspector({ ...limits, parser: openParser() });
}

/** Options that look for packages nowhere but around the extension. */
export function optionsFor(options: Partial<ValidateOptions> = {}): ValidateOptions {
  if (options.timeoutMs !== undefined && !options.openInspector) {
    throw new Error('The shared inspector has a time limit already: give `openInspector` with `timeoutMs`.');
  }
  const nowhere = path.join(os.tmpdir(), 'agenttools-nowhere');
  return {
    load: true,
    resolve: false,
    openInspector: openShared,
    workspace: (loadCode) =>
      new Workspace({
        cwd: nowhere,
        homeDirectory: nowhere,
        builtinFolder,
        packagesFolder: nowhere,
        globalFolder: nowhere,
        loadCode,
      }),
    ...options,
  };
}

/** `code file#/pointer` or `code file:line:column`. */
export function told({ code, location }: Diagnostic): string {
  const { file, path: at, position } = location;
  if (position) return `${code} ${file}:${position.line}:${position.column}`;
  return `${code} ${file}${at?.length ? `#${at.map((key) => `/${key}`).join('')}` : ''}`;
}
