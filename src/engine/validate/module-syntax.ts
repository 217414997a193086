import vm from 'node:vm';
import type { Position } from '../base/files/document-path.js';
import { errorMessage } from '../base/thrown-value.js';
import type { ModuleFailure, ParsedModule } from './inspection.js';

/** The used part of `vm.SourceTextModule`, which exists under `--experimental-vm-modules` only. */
interface SourceModule {
  readonly dependencySpecifiers?: readonly string[];
  readonly moduleRequests?: readonly { readonly specifier: string }[];
}

const { SourceTextModule } = vm as unknown as {
  readonly SourceTextModule: new (source: string, options: object) => SourceModule;
};

/** Parses a module's source in both module systems. Runs nothing. */
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

/** Parameters of the function that Node wraps around a CommonJS module. */
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

/**
 * Files from every `require` call. Packages only from calls at the start of a line: these are certainly
 * needed.
 */
function findRequiredFiles(source: string): readonly string[] {
  const files = source.matchAll(/(?<![\w$.])require\(\s*(["'])(?<specifier>\.[^"'\n]*)\1\s*\)/g);
  const packages = source.matchAll(
    /^(?:(?:const|let|var)\s[^=;'"`]*=\s*)?require\(\s*(["'])(?<specifier>[^."'\n][^"'\n]*)\1\s*\)/gm,
  );
  return [...files, ...packages].map(({ groups }) => groups!.specifier!);
}

/** The source with comments and strings blanked. Approximate, but enough to find statements. */
function withoutTextAndComments(source: string): string {
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
    ' ',
  );
}

/**
 * The position that Node prints above a SyntaxError: `file:line`, the line, a caret below the column.
 * @see https://github.com/nodejs/node/blob/main/src/node_errors.cc, GetErrorSource
 */
export function syntaxPosition(report: string | undefined): Position | undefined {
  const [, line, caret] = report?.match(/^[^\n]*:(\d+)\r?\n[^\n]*\r?\n([ \t]*)\^/) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: caret!.length + 1 };
}
