import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../base/folders.js';
import type { ItemKind, Kind } from '../extension/item-kinds.js';
import { formatJsonFile } from './json-file.js';

/** Form of the definitions that `create` and `generate` write. */
export type SourceLanguage = 'javascript' | 'typescript';

/** Folders of a package, relative to it, with `/`. */
export interface SourceLayout {
  readonly language: SourceLanguage;
  /** Folder of the definitions that AgentTools reads. */
  readonly root: string;
  /** TypeScript: folder of the sources that the compiler writes to `root`. JavaScript: folder of the handlers. */
  readonly sources: string;
  /** Ending of handlers in JavaScript: `.js`, or `.mjs` in a package of CommonJS modules. */
  readonly moduleEnding: '.js' | '.mjs';
}

/** A new item: its declaration in the manifest, and its files with a test case. */
interface ItemDraft {
  readonly declaration: readonly [name: string, description: string];
  /** Text by path relative to the package. */
  readonly files: Readonly<Record<string, string>>;
}

/** The package of a new item. */
interface DraftContext {
  readonly layout: SourceLayout;
  /** Name of the npm package. */
  readonly packageName: string;
}

type Draft = (name: string, context: DraftContext) => ItemDraft;

/** Returns a new item of each kind. */
export const itemDrafts: Readonly<Record<ItemKind, Draft>> = {
  tool: draftTool,
  prompt: draftPrompt,
  resource: draftResource,
  server: draftServer,
  app: draftApp,
};

function draftTool(name: string, { layout }: DraftContext): ItemDraft {
  const description = `Repeats a text. Replace this with the purpose of ${name}.`;
  const title = titleOf(name);
  const input = { text: { type: 'string', required: true, description: 'Text to repeat' } };
  const test = {
    tool: name,
    arguments: { text: 'Hello' },
    expect: { text: 'Hello' },
  };
  if (layout.language === 'typescript') {
    const source = `import { defineTool } from 'agenttools';

export default defineTool({
  title: ${quote(title)},
  description: ${quote(description)},
  input: { text: { type: 'string', required: true, description: 'Text to repeat' } },
  handler: ({ text }) => text,
});
`;
    return drafted('tools', name, layout, { declared: description, source, test });
  }
  const module = `${layout.sources}/${name}${layout.moduleEnding}`;
  const code = `/** @param {{ text: string }} args the input, as described in ${layout.root}/tools/${name}.json */
export default function handle({ text }) {
  return text;
}
`;
  const data = { title, description, input, handler: `./${module}` };
  return drafted('tools', name, layout, { declared: description, data, test, more: { [module]: code } });
}

function draftPrompt(name: string, { layout }: DraftContext): ItemDraft {
  const description = `Asks for a summary of a topic. Replace this with the purpose of ${name}.`;
  const title = titleOf(name);
  const test = {
    prompt: name,
    arguments: { topic: 'MCP' },
    expect: { pattern: 'MCP' },
  };
  const content = 'Summarize {{topic}} in two sentences.';
  if (layout.language === 'typescript') {
    const source = `import { definePrompt } from 'agenttools';

export default definePrompt({
  title: ${quote(title)},
  description: ${quote(description)},
  arguments: [{ name: 'topic', description: 'Topic of the summary', required: true }],
  content: { template: ${quote(content)} },
});
`;
    return drafted('prompts', name, layout, { declared: description, source, test });
  }
  const data = {
    title,
    description,
    arguments: [{ name: 'topic', description: 'Topic of the summary', required: true }],
    content: { template: content },
  };
  return drafted('prompts', name, layout, { declared: description, data, test });
}

function draftResource(name: string, { layout, packageName }: DraftContext): ItemDraft {
  const description = `A text. Replace this with the content of ${name}.`;
  const title = titleOf(name);
  const uri = `${schemeOf(packageName)}://${name}`;
  const text = `This is the resource ${name}.\n`;
  const test = { resource: uri, expect: { text } };
  if (layout.language === 'typescript') {
    const source = `import { defineResource } from 'agenttools';

export default defineResource({
  uri: ${quote(uri)},
  title: ${quote(title)},
  description: ${quote(description)},
  mimeType: 'text/plain',
  read: () => ${quote(text)},
});
`;
    return drafted('resources', name, layout, { declared: description, source, test });
  }
  const data = { uri, title, description, mimeType: 'text/plain', text };
  return drafted('resources', name, layout, { declared: description, data, test });
}

function draftServer(name: string, { layout }: DraftContext): ItemDraft {
  const description = `All items of this package. Replace this with the purpose of ${name}.`;
  const title = titleOf(name);
  const all = { tools: '*', prompts: '*', resources: '*', apps: '*' };
  const test = { server: name, list: 'tools', expect: { schema: { type: 'array' } } };
  if (layout.language === 'typescript') {
    const source = `import { defineServer } from 'agenttools';

export default defineServer({
  title: ${quote(title)},
  description: ${quote(description)},
  tools: '*',
  prompts: '*',
  resources: '*',
  apps: '*',
});
`;
    return drafted('servers', name, layout, { declared: description, source, test });
  }
  return drafted('servers', name, layout, {
    declared: description,
    data: { title, description, ...all },
    test,
  });
}

/** The page is self-contained, and shows the result of the tool that names the app as its `ui`. */
function draftApp(name: string, { layout, packageName }: DraftContext): ItemDraft {
  const description = `Shows the result of a tool. Replace this with the purpose of ${name}.`;
  const file = `${layout.root}/apps/${name}`;
  return {
    declaration: [name, description],
    files: {
      [`${file}.html`]: appPage(titleOf(name)),
      [`${file}.json`]: formatJsonFile({ prefersBorder: true }),
      [`${file}.case.json`]: appCase(name, packageName),
    },
  };
}

/** Text of a test case for an app: its page begins with a document type. */
export function appCase(name: string, packageName: string): string {
  return formatJsonFile({
    resource: `ui://${packageName.replace('@', '')}/${name}`,
    client: { capabilities: uiCapability },
    expect: { pattern: '<!doctype html>' },
  });
}

/** Only clients that show apps can read them. */
const uiCapability = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

interface DraftParts {
  readonly declared: string;
  /** A definition in data, or `source` in TypeScript. */
  readonly data?: object;
  readonly source?: string;
  readonly test: object;
  readonly more?: Readonly<Record<string, string>>;
}

function drafted(
  kind: Kind,
  name: string,
  { root, sources }: SourceLayout,
  { declared, data, source, test, more }: DraftParts,
): ItemDraft {
  const definition =
    source === undefined
      ? { [`${root}/${kind}/${name}.json`]: formatJsonFile(data) }
      : { [`${sources}/${kind}/${name}.ts`]: source };
  return {
    declaration: [name, declared],
    files: { ...definition, ...more, [`${root}/${kind}/${name}.case.json`]: formatJsonFile(test) },
  };
}

/** A page with the bridge to hosts, which shows the text of each result. */
function appPage(title: string): string {
  const example = readFileSync(path.join(packageRoot(), 'docs/apps/greeting.html'), 'utf8');
  const bridge = example.slice(example.indexOf('<script data-from'), example.indexOf('</script>'));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark }
  body { margin: 0; padding: 16px; font: 15px/1.5 var(--font-sans, system-ui, sans-serif) }
  #result { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<p id="result" role="status">Waiting for a result.</p>
${bridge}</script>
<script>
const result = document.querySelector('#result');

const app = connectApp({
  name: ${JSON.stringify(title)},
  onResult({ content = [] }) {
    result.textContent = content.map(({ text = '' }) => text).join('\\n');
  },
});

app.ready.catch(() => {
  result.textContent = 'This page is part of an MCP server, and no host shows it.';
});
</script>
</html>
`;
}

/** `my_tool` → `My tool`. */
function titleOf(name: string): string {
  const words = name
    .replace(/[_.-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .trim();
  return words === '' ? name : words[0]!.toUpperCase() + words.slice(1);
}

/** Scheme of the URIs of a package. A scheme begins with a letter. */
function schemeOf(packageName: string): string {
  const scheme = packageName.replace(/^@[^/]*\//, '').replace(/[^a-z0-9.-]/g, '-');
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`;
}

/** Text as a literal in TypeScript, in single quotes where possible. */
function quote(text: string): string {
  return /['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}
