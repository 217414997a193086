import { stat } from 'node:fs/promises';
import path from 'node:path';
import type ts from '@typescript/typescript6';
import { isInside } from '../../base/files/path-containment.js';
import { readMappedSources } from '../source-map.js';
import type { FunctionFacts, MisplacedTag, ModuleFacts, TypeSource } from '../type-source.js';
import { findCompiler } from './compiler.js';
import { readDefinitions } from './definitions.js';
import { readDocComment } from './docs.js';
import { readModule } from './functions.js';
import { createProgram, type TypeProgram, type TypeReadLimits } from './program.js';

/** Origin of a module's types. */
interface TypeOrigin {
  /** Files of the package; several for a bundled module. */
  readonly files: readonly string[];
  /** The source map that led to the files. */
  readonly map?: string | undefined;
}

/**
 * Reads the types of a package's modules with the project's TypeScript. Modules are existing files:
 * `./file.js`.
 */
export async function openTypeScript(
  directory: string,
  modules: readonly string[],
  {
    helper,
    definitions = [],
    ...bounds
  }: TypeReadLimits & {
    readonly helper?: string | undefined;
    /** Modules with definitions, as files of the package. */
    readonly definitions?: readonly string[];
  },
): Promise<TypeSource> {
  const ts = findCompiler(directory, helper);
  const origins = new Map(
    await Promise.all(
      modules.map(async (module) => [module, await findTypeOrigin(directory, module)] as const),
    ),
  );
  const written = new Map(
    await Promise.all(
      definitions.map(async (file) => [file, await readMappedSources(directory, file)] as const),
    ),
  );
  const filesOf = (file: string) => {
    const sources = written.get(file)?.sources ?? [];
    return sources.length > 0 ? sources : [file];
  };
  const all = [...[...origins.values()].flatMap(({ files }) => files), ...definitions.flatMap(filesOf)];
  const roots = [...new Set(all)];
  const sources = new Map<string, readonly string[]>();
  const program = createProgram({ ts, directory, roots, bounds, sources });
  const declarations = program.files().filter((file) => /\.d\.[cm]?ts$/.test(file));
  await Promise.all(
    declarations.map(async (file) => {
      const mapped = await readMappedSources(directory, file.replace(/\.d\.([cm]?)ts$/, '.$1js'));
      sources.set(file, mapped.sources);
    }),
  );
  const known = new Map<string, ModuleFacts>();
  const read = (module: string): ModuleFacts => {
    const { files } = origins.get(module)!;
    const parts = files.flatMap((file) => {
      const source = program.sourceOf(file);
      if (!source) return [];
      const facts = readModule(source, program, (declarations) =>
        compiledBeside(declarations, directory, program),
      );
      return [
        { ...facts, misplaced: [...facts.misplaced, ...misplacedBeside(source, facts, directory, program)] },
      ];
    });
    return parts.length === 1 ? parts[0]! : mergeExports(parts);
  };
  return {
    moduleOf(reference) {
      const facts = known.get(reference) ?? read(reference);
      known.set(reference, facts);
      return facts;
    },
    definitionsIn: (file) =>
      filesOf(file).flatMap((one) => {
        const source = program.sourceOf(one);
        const compiledOf = (beside: ts.SourceFile) => compiledBeside(beside, directory, program);
        return source ? readDefinitions(source, program, compiledOf) : [];
      }),
    files: () => {
      const maps = [...origins.values(), ...written.values()].flatMap(({ map }) => map ?? []);
      return [...new Set([...program.files(), ...maps])].sort();
    },
  };
}

/** The declarations beside a module, else the sources in its source map, else the module itself. */
async function findTypeOrigin(directory: string, module: string): Promise<TypeOrigin> {
  const file = module.slice('./'.length);
  if (/\.[cm]?tsx?$/.test(file)) return { files: [file] };
  const declarations = file.replace(/\.([cm]?)jsx?$/, '.d.$1ts');
  if (declarations !== file && (await isOwnFile(directory, declarations))) return { files: [declarations] };
  const { sources, map } = await readMappedSources(directory, file);
  return sources.length > 0 ? { files: sources, map } : { files: [file] };
}

async function isOwnFile(directory: string, file: string): Promise<boolean> {
  const target = path.join(directory, file);
  const info = await stat(target).catch(() => undefined);
  return info?.isFile() === true && (await isInside(directory, target));
}

/** Merges the sources of a bundled module. The last source is the entry of the bundle. */
function mergeExports(parts: readonly ModuleFacts[]): ModuleFacts {
  const inOrder = parts.toReversed();
  return {
    exports: [...new Set(inOrder.flatMap(({ exports }) => exports))],
    functionOf(name): FunctionFacts | undefined {
      for (const part of inOrder) {
        const found = part.functionOf(name);
        if (found) return found;
      }
      return undefined;
    },
    misplaced: parts.flatMap(({ misplaced }) => misplaced),
  };
}

/** The compiled module of a declaration file. */
function compiledBeside(
  { fileName, isDeclarationFile }: ts.SourceFile,
  directory: string,
  { parse }: TypeProgram,
): ts.SourceFile | undefined {
  const file = path.relative(directory, fileName).replaceAll('\\', '/');
  if (!isDeclarationFile || file.startsWith('../') || file.split('/').includes('node_modules'))
    return undefined;
  return parse(file.replace(/\.d\.([cm]?)ts$/, '.$1js'));
}

/** Reads misplaced tags from the compiled module: declarations omit functions that are not exported. */
function misplacedBeside(
  source: ts.SourceFile,
  facts: ModuleFacts,
  directory: string,
  program: TypeProgram,
): readonly MisplacedTag[] {
  const { ts, positionOf } = program;
  const compiled = compiledBeside(source, directory, program);
  if (!compiled) return [];
  const known = new Set(facts.exports.flatMap((name) => [name, facts.functionOf(name)?.name]));
  return compiled.statements.flatMap((statement): MisplacedTag[] => {
    if (!ts.isFunctionDeclaration(statement) || !statement.name || known.has(statement.name.text)) return [];
    const isMarked = readDocComment(statement, program).tags.some(({ name }) => name === 'mcp');
    const { text: name } = statement.name;
    return isMarked ? [{ name, reason: 'not-exported', position: positionOf(statement) }] : [];
  });
}
