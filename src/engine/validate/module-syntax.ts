import vm from 'node:vm';
import type { Position } from '../base/files/document-path.js';
import { errorMessage } from '../base/thrown-value.js';
import type { ModuleFailure, ParsedModule } from './inspection.js';

/** The part of `vm.SourceTextModule` that is used. It exists under `--experimental-vm-modules` only. */
interface SourceModule {
  readonly dependencySpecifiers?: readonly string[];
  readonly moduleRequests?: readonly { readonly specifier: string }[];
}

const { SourceTextModule } = vm as unknown as {
  readonly SourceTextModule: new (source: string, options: object) => SourceModule;
};

/** Reads a module's source both ways, running nothing of it. */
export function parseModule(source: string, file: string): ParsedModule {
  const imports = listImports(source, file);
  const scriptFailure = checkScriptSyntax(source, file);
  const code = withoutTextAndComments(source);
  return {
    isModule: imports !== undefined,
    isScript: scriptFailure === undefined,
    ...(scriptFailure && { scriptFailure }),
    assignsExports: /(?<![\w$.])(?:module\s*\.\s*exports\b|exports\s*\.\s*[\w$]+\s*=(?!=))/.test(code),
    imports: [...(imports ?? []), ...findRequiredFiles(source)],
  };
}

function listImports(source: string, file: string): readonly string[] | undefined {
  try {
    const module = new SourceTextModule(source, { identifier: file });
    return module.moduleRequests?.map(({ specifier }) => specifier) ?? module.dependencySpecifiers ?? [];
  } catch {
    return undefined;
  }
}

/** What Node wraps a CommonJS module with. */
const wrapper = ['exports', 'require', 'module', '__filename', '__dirname'];

function checkScriptSyntax(source: string, file: string): ModuleFailure | undefined {
  try {
    vm.compileFunction(source.replace(/^#!.*/, ''), wrapper, { filename: file });
    return undefined;
  } catch (error) {
    const position = syntaxPosition((error as Error).stack);
    return { reason: errorMessage(error), ...(position && { position }) };
  }
}

/** Files of the package wherever they are required; other packages only where it is plain that nothing goes without them. */
function findRequiredFiles(source: string): readonly string[] {
  const files = source.matchAll(/(?<![\w$.])require\(\s*(["'])(?<specifier>\.[^"'\n]*)\1\s*\)/g);
  const packages = source.matchAll(
    /^(?:(?:const|let|var)\s[^=;'"`]*=\s*)?require\(\s*(["'])(?<specifier>[^."'\n][^"'\n]*)\1\s*\)/gm,
  );
  return [...files, ...packages].map(({ groups }) => groups!.specifier!);
}

/** The source with comments and texts blanked, roughly: enough to tell a statement from a mention of it. */
function withoutTextAndComments(source: string): string {
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
    ' ',
  );
}

/**
 * The position that Node draws above a SyntaxError: `file:line`, the line, a caret below the column.
 * @see https://github.com/nodejs/node/blob/main/src/node_errors.cc, GetErrorSource
 */
export function syntaxPosition(report: string | undefined): Position | undefined {
  const [, line, caret] = report?.match(/^[^\n]*:(\d+)\r?\n[^\n]*\r?\n([ \t]*)\^/) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: caret!.length + 1 };
}
