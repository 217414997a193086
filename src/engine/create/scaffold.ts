import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { packageRoot } from '../base/folders.js';
import { errorMessage } from '../base/thrown-value.js';

/** Options of `create`. */
export interface ScaffoldPlan {
  /** Absolute path. */
  readonly directory: string;
  /** Name of the npm package. */
  readonly name: string;
  /** TypeScript sources, which the extension's build script compiles. */
  readonly typescript: boolean;
  /** Adds an app that shows the tool result. Default: false. */
  readonly app?: boolean;
  /** Version of AgentTools, which provides the types for the sources. */
  readonly version: string;
}

/** Result of `create`. */
export interface Scaffold {
  readonly directory: string;
  readonly name: string;
  /** Relative to `directory`, with `/`. */
  readonly files: readonly string[];
}

/**
 * Returns the given package name, or one derived from the folder name.
 * @throws AgentToolsError `usage` if the name is not legal.
 */
export function choosePackageName(directory: string, given?: string): string {
  if (given !== undefined) {
    const fault = packageNameFault(given);
    if (!fault) return given;
    const legal = legalPackageName(given);
    const hint = !packageNameFault(legal) ? ` Did you mean "${legal}"?` : '';
    throw new AgentToolsError('usage', `"${given}" is no name for an npm package: ${fault}.${hint}`);
  }
  const folder = path.basename(directory);
  const made = legalName(folder);
  const fault = packageNameFault(made);
  if (!fault) return made;
  const reason = made === '' ? 'nothing in it is legal in one' : `"${made}" is not one: ${fault}`;
  throw new AgentToolsError(
    'usage',
    `The folder "${folder}" gives no package name, ${reason}. Give one with --name.`,
  );
}

/** Removes illegal characters from a package name, with or without scope. */
function legalPackageName(text: string): string {
  const [, scope, name = ''] = /^@([^/]*)\/(.*)$/.exec(text) ?? [];
  return scope === undefined ? legalName(text) : `@${legalName(scope)}/${legalName(name)}`;
}

/** Removes illegal characters from a package name without scope. */
function legalName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '');
}

/** @see https://docs.npmjs.com/cli/configuring-npm/package-json#name */
function packageNameFault(name: string): string | undefined {
  if (name.length > 214) return 'it is longer than 214 characters';
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)) {
    return 'expected lower-case letters, digits, "-", "_" and ".", with or without a "@scope/" before it';
  }
  if (name === 'node_modules' || name === 'favicon.ico') return 'npm reserves it';
  return isBuiltin(name) ? 'a module of Node has that name' : undefined;
}

/**
 * Writes a minimal extension into a new or empty folder. @throws AgentToolsError if the folder is not empty,
 * or a file cannot be written.
 */
export async function createExtension(plan: ScaffoldPlan): Promise<Scaffold> {
  const { directory, name } = plan;
  const files = { ...scaffoldFiles(plan), ...(plan.app && (await appFiles())) };
  await requireEmpty(directory);
  await writeFiles(directory, files);
  return { directory, name, files: Object.keys(files) };
}

/** Writes new files: text by relative path. @throws AgentToolsError if a file cannot be written */
export async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) await writeScaffoldFile(path.join(directory, file), text);
}

async function writeScaffoldFile(target: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text, { flag: 'wx' });
  } catch (error) {
    throw new AgentToolsError('failed', `${target} cannot be written: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

/** A new git repository counts as empty. */
const ignoredEntries = ['.git'];

/** @throws AgentToolsError if a folder is not empty, or is a file */
export async function requireEmpty(directory: string): Promise<void> {
  const info = await stat(directory).catch(() => undefined);
  if (!info) return;
  if (!info.isDirectory())
    throw new AgentToolsError('refused', `${directory} is a file. Name a folder to make.`);
  const found = (await readdir(directory)).filter((entry) => !ignoredEntries.includes(entry)).sort();
  if (found.length === 0) return;
  const shown = found.slice(0, 10).join(', ') + (found.length > 10 ? ` and ${found.length - 10} more` : '');
  throw new AgentToolsError(
    'refused',
    `${directory} is not empty, and nothing is overwritten. In the way: ${shown}. Name a new folder.`,
  );
}

/** Returns the files of a minimal extension: text by relative path. */
export function scaffoldFiles(plan: Omit<ScaffoldPlan, 'directory'>): Readonly<Record<string, string>> {
  return { ...commonFiles(plan), ...(plan.typescript ? typescriptFiles(plan) : javascriptFiles(plan)) };
}

type ScaffoldFiles = Readonly<Record<string, string>>;

/** The example app of the docs. */
async function appFiles(): Promise<ScaffoldFiles> {
  const page = path.join(packageRoot(), 'docs/apps/greeting.html');
  return {
    'agenttools/apps/greeting.html': await readFile(page, 'utf8'),
    'agenttools/apps/greeting.json': formatJsonFile({ prefersBorder: true }),
  };
}

function commonFiles({ name, typescript, app = false }: Omit<ScaffoldPlan, 'directory'>): ScaffoldFiles {
  return {
    'agenttools/tools/greet.json': formatJsonFile({
      title: 'Greet',
      description: 'Greets a person by name.',
      input: { name: { type: 'string', required: true, description: 'Name of the person to greet' } },
      ...(app && { ui: 'greeting' }),
      handler: `./${typescript ? 'dist' : 'src'}/greet.js#greet`,
    }),
    'agenttools/prompts/introduce.json': formatJsonFile({
      title: 'Introduce',
      description: 'Asks for an introduction.',
      arguments: [{ name: 'name', description: 'Name of the person to introduce', required: true }],
      content: { template: 'Greet {{name}} with the greet tool, then introduce yourself in two sentences.' },
    }),
    'README.md': readme({ name, typescript, app }),
    '.gitignore': ['node_modules/', ...(typescript ? ['dist/'] : []), '*.tgz', ''].join('\n'),
  };
}

/** Fields of package.json in both languages, in reading order. */
function scaffoldPackageJson(name: string) {
  return {
    name,
    version: '0.1.0',
    description: 'Greets people: a tool and a prompt for MCP clients.',
    type: 'module',
    keywords: ['agenttools-extension'],
  };
}

function manifest(app = false) {
  return {
    tools: [['greet', 'Greets a person by name']],
    prompts: [['introduce', 'Asks for an introduction']],
    ...(app && { apps: [['greeting', 'Shows the greeting']] }),
  };
}

function javascriptFiles({ name, app }: Pick<ScaffoldPlan, 'name' | 'app'>): ScaffoldFiles {
  return {
    'package.json': formatJsonFile({
      ...scaffoldPackageJson(name),
      files: ['agenttools', 'src'],
      scripts: { validate: 'npx agenttools validate', start: 'npx agenttools start .' },
      agenttools: manifest(app),
    }),
    'src/greet.js': greetJavaScript,
  };
}

function typescriptFiles({
  name,
  version,
  app,
}: Pick<ScaffoldPlan, 'name' | 'version' | 'app'>): ScaffoldFiles {
  return {
    'package.json': formatJsonFile({
      ...scaffoldPackageJson(name),
      files: ['agenttools', 'dist'],
      scripts: {
        build: 'tsc',
        prepack: 'npm run build',
        validate: 'agenttools validate',
        start: 'agenttools start .',
      },
      devDependencies: {
        '@types/node': '>=20',
        agenttools: `^${version}`,
        // TypeScript 7 has no API for types, which `agenttools derive` needs.
        typescript: '>=5.8 <7',
      },
      agenttools: manifest(app),
    }),
    'tsconfig.json': formatJsonFile({
      compilerOptions: {
        target: 'ES2022',
        lib: ['ES2023'],
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        types: ['node'],
        strict: true,
        verbatimModuleSyntax: true,
        skipLibCheck: true,
        rootDir: 'src',
        outDir: 'dist',
      },
      include: ['src'],
    }),
    'src/greet.ts': greetTypeScript,
  };
}

const greetJavaScript = `/**
 * Greets a person.
 *
 * @param {{ name: string }} args the input, as described in agenttools/tools/greet.json
 */
export function greet({ name }) {
  return \`Hello, \${name}!\`;
}
`;

const greetTypeScript = `import type { ToolContext } from 'agenttools';

/** The input, as described in agenttools/tools/greet.json. */
interface Greeting {
  readonly name: string;
}

/** Greets a person. */
export function greet({ name }: Greeting, ctx: ToolContext): string {
  ctx.log.info(\`Greeting \${name}\`);
  return \`Hello, \${name}!\`;
}
`;

function readme({
  name,
  typescript,
  app,
}: Required<Pick<ScaffoldPlan, 'name' | 'typescript' | 'app'>>): string {
  const build = typescript ? 'npm install\nnpm run build\n' : '';
  return `# ${name}

MCP tools and prompts in an npm package, for [AgentTools](https://www.npmjs.com/package/agenttools).

| item | kind | what it does |
| --- | --- | --- |
| \`greet\` | tool | Greets a person by name. |
| \`introduce\` | prompt | Asks for an introduction. |
${app ? '| `greeting` | app | Shows the greeting. |\n' : ''}
## Work on it

\`\`\`sh
${build}npx agenttools validate
npx agenttools call . greet '{"name":"Ada"}'
npx agenttools start .
${app ? 'npx agenttools preview .\n' : ''}\`\`\`

A tool is a definition in \`agenttools/tools\` and a function in \`src\`; \`package.json\` declares it under \`agenttools\`.
`;
}

/** JSON as `create` writes it. */
export function formatJsonFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
