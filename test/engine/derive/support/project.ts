import { mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type ts from '@typescript/typescript6';
import { type Derivation, derive } from '../../../../src/engine/derive/derive.js';
import type { DerivedFunction } from '../../../../src/engine/extension/derived.js';
import { type Files, writePackage } from '../../../support/packages.js';
import { root } from '../../../support/program.js';

/** The compilers that can be asked, by the package that a project would have installed. */
export const compilers = {
  'typescript 5.9': { as: 'typescript', from: 'typescript-5' },
  'typescript 6': { as: 'typescript', from: '@typescript/old' },
  '@typescript/typescript6': { as: '@typescript/typescript6', from: '@typescript/typescript6' },
} as const;

export type Compiler = keyof typeof compilers;

/** Puts packages of this repository where a project finds them. */
export function link(directory: string, packages: Readonly<Record<string, string>>): void {
  for (const [as, from] of Object.entries(packages)) {
    const target = path.join(directory, 'node_modules', as);
    mkdirSync(path.dirname(target), { recursive: true });
    symlinkSync(path.join(root, from === '.' ? '' : 'node_modules', from), target, 'dir');
  }
}

const require = createRequire(import.meta.url);
const keeping = new Set<string>();

/** All that makes two source files of one file differ. What makes a file a module is a fresh function of the options. */
function keyOf(
  file: string,
  how: ts.ScriptTarget | ts.CreateSourceFileOptions,
  { module, moduleDetection, jsx }: ts.CompilerOptions,
): string {
  if (typeof how !== 'object') return JSON.stringify([file, how]);
  const { languageVersion, impliedNodeFormat, setExternalModuleIndicator, jsDocParsingMode } = how;
  const isModule = [String(setExternalModuleIndicator), module, moduleDetection, jsx];
  return JSON.stringify([file, languageVersion, impliedNodeFormat, jsDocParsingMode, isModule]);
}

/**
 * Lets a compiler read the files of this repository's packages, its own libraries above all, once per test file instead of
 * once per program: that is what takes it longest. They do not change, and programs may share them.
 */
export function keepLibraries(compiler: string): void {
  if (keeping.has(compiler)) return;
  keeping.add(compiler);
  const own = require(compiler) as typeof ts;
  const kept = new Map<string, ts.SourceFile | undefined>();
  const createCompilerHost: typeof own.createCompilerHost = (options, ...more) => {
    const host = own.createCompilerHost(options, ...more);
    const getSourceFile = host.getSourceFile.bind(host);
    host.getSourceFile = (file, how, ...rest) => {
      if (!file.startsWith(path.join(root, 'node_modules/'))) return getSourceFile(file, how, ...rest);
      const key = keyOf(file, how, options);
      if (!kept.has(key)) kept.set(key, getSourceFile(file, how, ...rest));
      return kept.get(key);
    };
    return host;
  };
  require.cache[require.resolve(compiler)]!.exports = Object.create(own, {
    createCompilerHost: { value: createCompilerHost },
  });
}

/** Little of the language and nothing of Node, which is read sooner. */
const light = { 'tsconfig.json': { compilerOptions: { lib: ['es2023'], types: [] } } };

/** Writes a package with a compiler at hand. */
export function project(
  manifest: object,
  files: Files,
  { compiler = 'typescript 5.9', fields = {} }: { compiler?: Compiler; fields?: object } = {},
): string {
  const directory = writePackage(manifest, { ...light, ...files }, fields);
  const { as, from } = compilers[compiler];
  keepLibraries(from);
  link(directory, { [as]: from, '@types/node': '@types/node' });
  return directory;
}

/** A package whose tools are the exported functions of one module, by their names. */
export function projectOf(
  source: string,
  functions: readonly string[],
  { file = 'lib.d.ts', more = {}, compiler }: { file?: string; more?: Files; compiler?: Compiler } = {},
): string {
  const module = `./${file.replace(/\.d\.([cm]?)ts$/, '.$1js')}`;
  const definitions = functions.map((name) => [
    `agenttools/tools/${name}.json`,
    { handler: `${module}#${name}` },
  ]);
  const compiled = file.endsWith('.d.ts') ? { 'lib.js': '' } : {};
  return project(
    { tools: functions },
    { ...compiled, [file]: source, ...Object.fromEntries(definitions), ...more },
    compiler ? { compiler } : {},
  );
}

/** What is derived of one module's functions. */
export async function deriveOf(...given: Parameters<typeof projectOf>): Promise<Derivation> {
  return await derive(projectOf(...given));
}

/** One function of what was derived, by the name of its export. */
export function functionIn({ derived, remarks }: Derivation, name: string): DerivedFunction {
  const found = Object.entries(derived?.functions ?? {}).find(([reference]) =>
    reference.endsWith(`#${name}`),
  );
  if (!found) throw new Error(`Nothing was derived of ${name}: ${JSON.stringify(remarks)}`);
  return found[1];
}

/** What there was to say: `error dist/a.d.ts:1:2 message`. */
export function said({ remarks }: Derivation): readonly string[] {
  return remarks.map(
    ({ severity, message, file, line, column }) => `${severity} ${file}:${line}:${column} ${message}`,
  );
}
