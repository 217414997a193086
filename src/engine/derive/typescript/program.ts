import path from 'node:path';
import type ts from '@typescript/typescript6';
import { AgentToolsError } from '../../base/errors.js';
import type { SourcePosition } from '../type-source.js';
import type { TypeScript } from './compiler.js';

/** Limits for reading types. */
export interface TypeReadLimits {
  readonly maxFiles: number;
  readonly timeoutMs: number;
}

/** A compiler's view of some files of a package, with access to positions in them. */
export interface TypeProgram {
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
  /** A file of the program, by its path in the package. */
  sourceOf(file: string): ts.SourceFile | undefined;
  /** The sources that a declaration file was compiled from, parsed. */
  sourcesOf(declarations: ts.SourceFile): readonly ts.SourceFile[];
  /** Parses a file that is not part of the program. */
  parse(file: string): ts.SourceFile | undefined;
  positionOf(node: ts.Node): SourcePosition;
  /** True if a declaration is in the package itself, not in a dependency. */
  isOwn(node: ts.Node): boolean;
  /** True if a declaration is in the library of the language or in the types of Node. */
  isStandard(node: ts.Node): boolean;
  /** The files of the package that were read. */
  files(): readonly string[];
  /** @throws AgentToolsError after the timeout */
  checkTimeout(): void;
}

interface ProgramPlan {
  readonly ts: TypeScript;
  readonly directory: string;
  /** Relative to the package. */
  readonly roots: readonly string[];
  readonly bounds: TypeReadLimits;
  /** Sources of declaration files, relative to the package. They may be added after the program is created. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

/** Reads files and their imports. The project's compiler options decide how imports are resolved. */
export function createProgram({ ts, directory, roots, bounds, sources }: ProgramPlan): TypeProgram {
  const options = readCompilerOptions(ts, directory);
  const host = ts.createCompilerHost(options, true);
  const deadline = performance.now() + bounds.timeoutMs;
  const checkTimeout = () => {
    if (performance.now() < deadline) return;
    const seconds = bounds.timeoutMs / 1000;
    throw new AgentToolsError('failed', `The types of ${directory} could not be read within ${seconds} s.`);
  };
  let count = 0;
  const getSourceFile = withLibraryCache(ts, host.getSourceFile.bind(host), options);
  host.getCurrentDirectory = () => directory;
  host.getSourceFile = (...given) => {
    checkTimeout();
    if (++count > bounds.maxFiles) {
      const message = `The types of ${directory} lead to more than ${bounds.maxFiles} files.`;
      throw new AgentToolsError('failed', message);
    }
    return getSourceFile(...given);
  };
  const absolute = (file: string) => path.join(directory, file).replaceAll('\\', '/');
  const program = ts.createProgram({ rootNames: roots.map(absolute), options, host });
  const parsed = new Map<string, ts.SourceFile | undefined>();
  const relative = (file: string) => path.relative(directory, file).replaceAll('\\', '/');
  const isOwnFile = (file: string) => {
    const between = relative(file);
    return (
      !between.startsWith('../') && !path.isAbsolute(between) && !between.split('/').includes('node_modules')
    );
  };
  const parse = (file: string) => {
    if (!parsed.has(file)) {
      const text = host.readFile(absolute(file));
      const source =
        text === undefined
          ? undefined
          : ts.createSourceFile(absolute(file), text, ts.ScriptTarget.Latest, true);
      parsed.set(file, source);
    }
    return parsed.get(file);
  };
  return {
    ts,
    checker: program.getTypeChecker(),
    sourceOf: (file) => program.getSourceFile(absolute(file)),
    sourcesOf: ({ fileName }) => (sources.get(relative(fileName)) ?? []).flatMap((file) => parse(file) ?? []),
    parse,
    positionOf(node) {
      const source = node.getSourceFile();
      const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
      return { file: relative(source.fileName), line: line + 1, column: character + 1 };
    },
    isOwn: (node) => isOwnFile(node.getSourceFile().fileName),
    isStandard(node) {
      const source = node.getSourceFile();
      return (
        program.isSourceFileDefaultLibrary(source) || /\/node_modules\/@types\/node\//.test(source.fileName)
      );
    },
    files() {
      const read = program.getSourceFiles().map(({ fileName }) => fileName);
      const own = [
        ...read.filter(isOwnFile).map(relative),
        ...[...parsed].filter(([, one]) => one).map(([file]) => file),
      ];
      return [...new Set(own)].sort();
    },
    checkTimeout,
  };
}

type GetSourceFile = ts.CompilerHost['getSourceFile'];

/** Parsed files of the language's library, by compiler. Parsing them takes longer than a whole package. */
const libraries = new WeakMap<TypeScript, Map<string, ts.SourceFile>>();

/** Parses each file of the language's library once per process, as the language service does. */
function withLibraryCache(
  ts: TypeScript,
  getSourceFile: GetSourceFile,
  options: ts.CompilerOptions,
): GetSourceFile {
  const library = `${path.dirname(ts.getDefaultLibFilePath(options)).replaceAll('\\', '/')}/`;
  const cache = libraries.get(ts) ?? new Map<string, ts.SourceFile>();
  libraries.set(ts, cache);
  return (file, version, ...rest) => {
    if (!file.startsWith(library)) return getSourceFile(file, version, ...rest);
    const target = typeof version === 'object' ? version.languageVersion : version;
    const key = `${target} ${file}`;
    const source = cache.get(key) ?? getSourceFile(file, version, ...rest);
    if (source) cache.set(key, source);
    return source;
  };
}

/** The project's compiler options for reading. Output options are not used. */
function readCompilerOptions(ts: TypeScript, directory: string): ts.CompilerOptions {
  const file = ts.findConfigFile(directory, ts.sys.fileExists);
  const { config } = file === undefined ? { config: {} } : ts.readConfigFile(file, ts.sys.readFile);
  const given = ts.convertCompilerOptionsFromJson({}, directory).options;
  const host = { ...ts.sys, readDirectory: () => [] };
  const own =
    file === undefined
      ? given
      : ts.parseJsonConfigFileContent(config, host, path.dirname(file), {}, file).options;
  const [major = 5] = ts.versionMajorMinor.split('.').map(Number);
  return {
    ...own,
    // Since TypeScript 6, `types` is empty by default.
    ...(own.types === undefined && major >= 6 && { types: ['*'] }),
    target: ts.ScriptTarget.ESNext,
    module: own.module ?? ts.ModuleKind.NodeNext,
    moduleResolution: own.moduleResolution ?? ts.ModuleResolutionKind.NodeNext,
    allowJs: true,
    checkJs: false,
    maxNodeModuleJsDepth: 0,
    strict: true,
    strictNullChecks: true,
    noEmit: true,
    skipLibCheck: true,
    composite: false,
    incremental: false,
    declaration: false,
  };
}
