import { readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { Position } from '../../base/files/document-path.js';
import type { LoadedModule, ModuleFailure, ParsedModule } from '../inspection.js';
import { checkModuleSyntax, InspectionError, type Inspector } from '../inspector.js';

/** A module of the package that is a definition or that a definition names. */
export interface ModuleSnapshot {
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  /** The format that Node reads it as, by its name and the nearest package.json. */
  readonly format: ModuleFormat;
  /** True if the source is in the other module system. */
  readonly isOtherFormat: boolean;
  /** Position that shows the other module system, if known. */
  readonly position: Position | undefined;
  /** The syntax error of a module that is invalid in both systems. */
  readonly failure: ModuleFailure | undefined;
  /** Files of the package that it imports and that exist. */
  readonly imports: readonly string[];
  /** Other packages that it imports, by name. */
  readonly packages: readonly string[];
}

type ModuleFormat = 'module' | 'commonjs';

/** Thrown instead of loading a module if no code may be run. */
export class NotLoadedError extends Error {
  override readonly name = 'NotLoadedError';
}

/** Reads the modules of one package, each once, and runs them if allowed. */
export class ModuleReader {
  readonly #read = new Map<string, Promise<ModuleSnapshot | undefined>>();

  constructor(
    readonly directory: string,
    readonly inspector: Inspector,
    readonly mayLoad: boolean,
  ) {}

  /** Reads a module without running it. Undefined for files that are missing, too large or not JavaScript. */
  read(file: string): Promise<ModuleSnapshot | undefined> {
    const known = this.#read.get(file);
    if (known) return known;
    const reading = readModule(this.directory, file, this.inspector);
    this.#read.set(file, reading);
    return reading;
  }

  /** Evaluates a module in another process. @throws InspectionError; NotLoadedError if no code may be run. */
  async load(file: string): Promise<LoadedModule> {
    const facts = await this.read(file);
    if (facts?.failure) throw new InspectionError(facts.failure);
    if (!this.mayLoad) throw new NotLoadedError('no code of the extension was run');
    return await this.inspector.load(path.join(this.directory, file));
  }

  /** A module and the files of the package that it imports, recursively. */
  async closure(file: string): Promise<readonly string[]> {
    const seen = new Set([file]);
    for (const next of seen) {
      if (seen.size > maxClosure) break;
      for (const imported of (await this.read(next))?.imports ?? []) seen.add(imported);
    }
    return [...seen];
  }
}

/** Limit of followed files: a package with more unbundled modules has them on purpose. */
const maxClosure = 500;

/** Larger files are not checked. */
const maxSourceBytes = 20 * 1024 * 1024;

const javascript = ['.js', '.mjs', '.cjs'];

/** The file extensions of modules that need their types stripped first. */
export const typescript = ['.ts', '.mts', '.cts'];

/** True if at least some Node versions can import the file. */
export function isModuleFile(file: string): boolean {
  return [...javascript, ...typescript].includes(path.extname(file));
}

async function readModule(
  directory: string,
  file: string,
  inspector: Inspector,
): Promise<ModuleSnapshot | undefined> {
  if (!javascript.includes(path.extname(file))) return undefined;
  const target = path.join(directory, file);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile() || info.size > maxSourceBytes) return undefined;
  const [told, parsed] = await Promise.all([detectModuleFormat(target), parseModuleFile(inspector, target)]);
  if (!parsed) return undefined;
  // A user server may name a file outside a package; Node then detects the format by the syntax.
  const isElsewhere = path.relative(directory, target).startsWith('..');
  const format = told ?? (isElsewhere && parsed.isModule && !parsed.isScript ? 'module' : 'commonjs');
  const isOtherFormat = isForOtherFormat(parsed, format);
  return {
    file,
    format,
    isOtherFormat,
    position: format === 'commonjs' ? parsed.scriptFailure?.position : undefined,
    failure: isOtherFormat ? undefined : await moduleFailure(parsed, format, target),
    imports: await resolveImports(directory, file, parsed.imports),
    packages: [...new Set(parsed.imports.flatMap((specifier) => packageNameIn(specifier) ?? []))],
  };
}

async function parseModuleFile(inspector: Inspector, target: string): Promise<ParsedModule | undefined> {
  return await inspector.parse(target).catch((error) => {
    if (error instanceof InspectionError) return undefined;
    throw error;
  });
}

/**
 * The format by the file name or the nearest package.json; undefined if neither decides.
 * @see https://nodejs.org/api/packages.html#determining-module-system
 */
async function detectModuleFormat(target: string): Promise<ModuleFormat | undefined> {
  const ending = path.extname(target);
  if (ending !== '.js') return ending === '.mjs' ? 'module' : 'commonjs';
  let folder = path.dirname(target);
  for (;;) {
    const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return typeIn(text);
    const above = path.dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function typeIn(text: string): ModuleFormat | undefined {
  try {
    const { type } = JSON.parse(text.replace(/^\uFEFF/, ''));
    return type === 'module' || type === 'commonjs' ? type : undefined;
  } catch {
    return undefined;
  }
}

/** V8's messages about module syntax in a script, for a module that has another fault. */
const moduleSyntaxMessage = /import statement outside a module|Unexpected token 'export'|import\.meta/;

function isForOtherFormat(parsed: ParsedModule, format: ModuleFormat): boolean {
  if (format === 'module') return parsed.isScript && parsed.assignsExports;
  if (parsed.isScript) return false;
  return parsed.isModule || moduleSyntaxMessage.test(parsed.scriptFailure?.reason ?? '');
}

async function moduleFailure(
  parsed: ParsedModule,
  format: ModuleFormat,
  target: string,
): Promise<ModuleFailure | undefined> {
  if (format === 'commonjs') return parsed.scriptFailure;
  return parsed.isModule ? undefined : await checkModuleSyntax(await readFile(target, 'utf8'));
}

/** The package of a specifier: `@scope/name` of `@scope/name/file.js`. */
function packageNameIn(specifier: string): string | undefined {
  // Paths, subpath imports such as `#file`, and URLs such as `node:fs`.
  if (/^[./\\#]|:/.test(specifier) || isBuiltin(specifier)) return undefined;
  return specifier.match(/^(?:@[^/]+\/)?[^/]+/)?.[0];
}

async function resolveImports(
  directory: string,
  file: string,
  specifiers: readonly string[],
): Promise<string[]> {
  const folder = path.posix.dirname(file);
  const relative = specifiers.filter((specifier) => /^\.\.?\//.test(specifier));
  const found = await Promise.all(
    relative.map((specifier) =>
      firstFile(directory, path.posix.join(folder, specifier.replace(/[?#].*$/, ''))),
    ),
  );
  return found.filter((one) => one !== undefined && !one.startsWith('../')) as string[];
}

/** CommonJS may omit the extension, or name a folder. */
const endings = ['', '.js', '.cjs', '.json', '/index.js'];

async function firstFile(directory: string, file: string): Promise<string | undefined> {
  for (const ending of endings) {
    const info = await stat(path.join(directory, file + ending)).catch(() => undefined);
    if (info?.isFile()) return file + ending;
  }
  return undefined;
}
