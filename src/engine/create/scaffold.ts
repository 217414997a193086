import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import { singular } from '../extension/item-kinds.js';
import type { SourceLanguage } from './item-files.js';
import { formatJsonFile } from './json-file.js';
import { newLayouts, type TemplateContent, type TemplateName, templates } from './templates.js';

/** Options of `create`. */
export interface ScaffoldPlan {
  /** Absolute path. */
  readonly directory: string;
  /** Name of the npm package. */
  readonly name: string;
  /** TypeScript sources, which the extension's build script compiles. */
  readonly typescript: boolean;
  /** Default: `tool`. */
  readonly template?: TemplateName;
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

/** Result of `create`, with facts for the next steps. */
export interface NewExtension extends Scaffold {
  readonly call?: TemplateContent['call'];
  /** The code imports packages, or needs a compiler. */
  readonly needsInstall: boolean;
  readonly hasApp: boolean;
  readonly isHttp: boolean;
}

/**
 * Writes an extension into a new or empty folder. @throws AgentToolsError if the folder is not empty, or a file cannot
 * be written.
 */
export async function createExtension(plan: ScaffoldPlan): Promise<NewExtension> {
  const { directory, name, typescript } = plan;
  const content = await contentOf(plan);
  const files = packageFiles(plan, content);
  await requireEmpty(directory);
  await writeFiles(directory, files);
  const { call, dependencies, manifest, isHttp = false } = content;
  return {
    directory,
    name,
    files: Object.keys(files),
    ...(call && { call }),
    needsInstall: typescript || dependencies !== undefined,
    hasApp: manifest.apps !== undefined,
    isHttp,
  };
}

/** Returns the files of a new extension: text by relative path. */
export async function scaffoldFiles(
  plan: Omit<ScaffoldPlan, 'directory'>,
): Promise<Readonly<Record<string, string>>> {
  return packageFiles(plan, await contentOf(plan));
}

async function contentOf({
  template = 'tool',
  typescript,
  name,
}: Pick<ScaffoldPlan, 'template' | 'typescript' | 'name'>): Promise<TemplateContent> {
  return await templates[template].content(typescript ? 'typescript' : 'javascript', name);
}

type ScaffoldFiles = Readonly<Record<string, string>>;

function packageFiles(plan: Omit<ScaffoldPlan, 'directory'>, content: TemplateContent): ScaffoldFiles {
  const language = plan.typescript ? 'typescript' : 'javascript';
  return {
    'package.json': formatJsonFile(packageJson(plan, content, language)),
    ...content.files,
    ...(plan.typescript && { 'tsconfig.json': formatJsonFile(compilerSettings) }),
    ...(content.isHttp && {
      Dockerfile: dockerfile(plan.typescript),
      '.dockerignore': 'node_modules/\n.git/\n',
    }),
    'README.md': readme(plan, content),
    '.gitignore': ['node_modules/', ...(plan.typescript ? ['agenttools/**/*.js'] : []), '*.tgz', ''].join(
      '\n',
    ),
  };
}

/** Fields of package.json in reading order. */
function packageJson(
  { name, version, typescript }: Pick<ScaffoldPlan, 'name' | 'version' | 'typescript'>,
  { description, manifest, files, dependencies, isHttp }: TemplateContent,
  language: SourceLanguage,
): object {
  const { sources } = newLayouts[language];
  const hasHandlers = !typescript && Object.keys(files).some((file) => file.startsWith(`${sources}/`));
  // Without an installed copy, npx gets the program.
  const program = typescript ? 'agenttools' : 'npx agenttools';
  return {
    name,
    version: '0.1.0',
    description,
    type: 'module',
    keywords: ['agenttools-extension'],
    // The next version is compared with the surface of this one. Test cases are for its author.
    files: ['agenttools', ...(hasHandlers ? [sources] : []), 'agenttools.surface.json', '!**/*.case.*'],
    scripts: {
      ...(typescript && { build: 'tsc', pretest: 'npm run build', prepack: 'npm run build' }),
      validate: `${program} validate`,
      start: `${program} start .${isHttp ? ' --http' : ''}`,
      dev: `${program} dev`,
      test: `${program} test`,
    },
    ...(dependencies && { dependencies }),
    ...(typescript && {
      devDependencies: {
        '@types/node': '>=20',
        agenttools: `^${version}`,
        // TypeScript 7 has no API for types, which `agenttools derive` needs.
        typescript: '>=5.8 <7',
      },
      peerDependencies: { agenttools: `>=${version}` },
      peerDependenciesMeta: { agenttools: { optional: true } },
    }),
    agenttools: manifest,
  };
}

/** Compiles the sources of definitions to the folder from which AgentTools reads them. */
const compilerSettings = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    strict: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    rootDir: newLayouts.typescript.sources,
    outDir: newLayouts.typescript.root,
  },
  include: [newLayouts.typescript.sources],
};

function dockerfile(typescript: boolean): string {
  const build = typescript
    ? 'RUN npm install && npm run build && npm prune --omit=dev && npm install --global agenttools'
    : 'RUN npm install --omit=dev && npm install --global agenttools';
  return `FROM node:22-slim
WORKDIR /extension
COPY . .
${build}
USER node
EXPOSE 3000
# docker run -p 3000:3000 -e TOKEN=… -e ALLOWED_HOST=mcp.example.com <image>
CMD ["sh", "-c", "exec agenttools start . --http --host 0.0.0.0 --port 3000 --token-env TOKEN --allowed-host \\"$ALLOWED_HOST\\""]
`;
}

/** Step that serves an extension of the template `http`. */
export const httpStep = 'npm start   # serves on http://127.0.0.1:3000/mcp';

function readme(
  { name, typescript }: Pick<ScaffoldPlan, 'name' | 'typescript'>,
  { items, call, dependencies, manifest, isHttp }: TemplateContent,
): string {
  const steps = [
    ...(typescript || dependencies ? ['npm install'] : []),
    ...(typescript ? ['npm run build'] : []),
    'npm run validate',
    'npm test -- --update',
    ...(call ? [`npx agenttools call . ${call[0]} '${call[1]}'`] : []),
    'npm run dev',
    ...(manifest.apps ? ['npx agenttools preview .'] : []),
    ...(isHttp ? [httpStep] : []),
  ];
  const folder = typescript ? '`src/agenttools`' : '`agenttools`';
  return `# ${name}

MCP tools and prompts in an npm package, for [AgentTools](https://www.npmjs.com/package/agenttools).

| item | kind | what it does |
| --- | --- | --- |
${items.map(([kind, item, purpose]) => `| \`${item}\` | ${singular[kind]} | ${purpose} |`).join('\n')}

## Work on it

\`\`\`sh
${steps.join('\n')}
\`\`\`

The definitions are in ${folder}; \`package.json\` declares them under \`agenttools\`. \`npx agenttools generate tool <name>\` adds a tool.
`;
}

/** Writes new files: text by relative path. @throws AgentToolsError if a file cannot be written */
export async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) await writeScaffoldFile(path.join(directory, file), text);
}

async function writeScaffoldFile(target: string, text: string): Promise<void> {
  try {
    await makeFolder(path.dirname(target));
    await writeFile(target, text, { flag: 'wx' });
  } catch (error) {
    throw new AgentToolsError('failed', `${target} cannot be written: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

/** Creates a folder and those above it. Node's `recursive` never ends in file systems that refuse folders, such as `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  const above = path.dirname(folder);
  if (above !== folder) await makeFolder(above);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
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
