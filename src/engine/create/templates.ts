import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../base/folders.js';
import type { Kind } from '../extension/item-kinds.js';
import { appCase, type SourceLanguage, type SourceLayout } from './item-files.js';
import { formatJsonFile } from './json-file.js';

/** Layouts of new packages. Existing packages can have others. */
export const newLayouts: Readonly<Record<SourceLanguage, SourceLayout>> = {
  javascript: { language: 'javascript', root: 'agenttools', sources: 'src', moduleEnding: '.js' },
  typescript: { language: 'typescript', root: 'agenttools', sources: 'src/agenttools', moduleEnding: '.js' },
};

/** Content of a template in one language. */
export interface TemplateContent {
  readonly description: string;
  /** The manifest. */
  readonly manifest: Readonly<Partial<Record<Kind, readonly unknown[]>>>;
  /** Rows of the README: kind, name and purpose. */
  readonly items: readonly (readonly [kind: Kind, name: string, purpose: string])[];
  /** Text by path relative to the package. */
  readonly files: Readonly<Record<string, string>>;
  /** npm packages that the code imports, with their ranges. */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** A tool call to try: tool and arguments in JSON. */
  readonly call?: readonly [tool: string, json: string];
  readonly isHttp?: boolean;
}

/** A kind of extension that `create` writes. */
export interface Template {
  readonly summary: string;
  /** `name`: of the npm package. */
  content(language: SourceLanguage, name: string): TemplateContent | Promise<TemplateContent>;
}

/** Templates of `create`, by the name for `--template`. The first one is the default. */
export const templates = {
  tool: { summary: 'a tool and a prompt', content: (language) => greeting(language) },
  zod: { summary: 'a tool with zod schemas for arguments and result', content: dice },
  app: { summary: 'a tool with a UI app that shows its result', content: greetingWithApp },
  toolkit: { summary: 'several small tools in one file', content: toolkit },
  prompts: { summary: 'prompts without code', content: prompts },
  http: {
    summary: 'a tool and a prompt, served over HTTP, with a Dockerfile',
    content: (language) => ({ ...greeting(language), isHttp: true }),
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof templates;

/** Path of a definition, by its source in the layout of the language. */
function definitionPath(kind: Kind, name: string, language: SourceLanguage): string {
  return language === 'typescript' ? `src/agenttools/${kind}/${name}.ts` : `agenttools/${kind}/${name}.js`;
}

/** Path of a test case. It is beside the definitions that AgentTools reads. */
function casePath(kind: Kind, name: string): string {
  return `agenttools/${kind}/${name}.case.json`;
}

const greetInput = {
  name: { type: 'string', required: true, description: 'Name of the person to greet' },
};

const introduceData = {
  title: 'Introduce',
  description: 'Asks for an introduction.',
  arguments: [{ name: 'name', description: 'Name of the person to introduce', required: true }],
  content: { template: 'Greet {{name}} with the greet tool, then introduce yourself in two sentences.' },
};

const introduceSource = `import { definePrompt } from 'agenttools';

export default definePrompt({
  title: 'Introduce',
  description: 'Asks for an introduction.',
  arguments: [{ name: 'name', description: 'Name of the person to introduce', required: true }],
  content: { template: 'Greet {{name}} with the greet tool, then introduce yourself in two sentences.' },
});
`;

const introduceCase = { prompt: 'introduce', arguments: { name: 'Ada' }, expect: { pattern: '^Greet Ada' } };

const greetModule = `/**
 * Greets a person.
 *
 * @param {{ name: string }} args the input, as described in agenttools/tools/greet.json
 */
export function greet({ name }) {
  return \`Hello, \${name}!\`;
}
`;

function greetSource(app?: string): string {
  return `import { defineTool } from 'agenttools';

export default defineTool({
  title: 'Greet',
  description: 'Greets a person by name.',
  input: { name: { type: 'string', required: true, description: 'Name of the person to greet' } },
${app === undefined ? '' : `  ui: '${app}',\n`}  handler({ name }, ctx) {
    ctx.log.info(\`Greeting \${name}\`);
    return \`Hello, \${name}!\`;
  },
});
`;
}

function greetFiles(language: SourceLanguage, app?: string): Readonly<Record<string, string>> {
  const cases = {
    [casePath('tools', 'greet')]: formatJsonFile({
      tool: 'greet',
      arguments: { name: 'Ada' },
      expect: { text: 'Hello, Ada!' },
    }),
  };
  if (language === 'typescript')
    return { [definitionPath('tools', 'greet', language)]: greetSource(app), ...cases };
  const definition = {
    title: 'Greet',
    description: 'Greets a person by name.',
    input: greetInput,
    ...(app !== undefined && { ui: app }),
    handler: './src/greet.js#greet',
  };
  return {
    'agenttools/tools/greet.json': formatJsonFile(definition),
    'src/greet.js': greetModule,
    ...cases,
  };
}

function introduceFiles(language: SourceLanguage): Readonly<Record<string, string>> {
  const definition =
    language === 'typescript'
      ? { [definitionPath('prompts', 'introduce', language)]: introduceSource }
      : { 'agenttools/prompts/introduce.json': formatJsonFile(introduceData) };
  return { ...definition, [casePath('prompts', 'introduce')]: formatJsonFile(introduceCase) };
}

function greeting(language: SourceLanguage, app?: string): TemplateContent {
  return {
    description: 'Greets people: a tool and a prompt for MCP clients.',
    manifest: {
      tools: [['greet', 'Greets a person by name']],
      prompts: [['introduce', 'Asks for an introduction']],
    },
    items: [
      ['tools', 'greet', 'Greets a person by name.'],
      ['prompts', 'introduce', 'Asks for an introduction.'],
    ],
    files: { ...greetFiles(language, app), ...introduceFiles(language) },
    call: ['greet', '{"name":"Ada"}'],
  };
}

/** The app is the example of the docs. */
async function greetingWithApp(language: SourceLanguage, name: string): Promise<TemplateContent> {
  const plain = greeting(language, 'greeting');
  const page = path.join(packageRoot(), 'docs/apps/greeting.html');
  return {
    ...plain,
    manifest: { ...plain.manifest, apps: [['greeting', 'Shows the greeting']] },
    items: [...plain.items, ['apps', 'greeting', 'Shows the greeting.']],
    files: {
      ...plain.files,
      'agenttools/apps/greeting.html': await readFile(page, 'utf8'),
      'agenttools/apps/greeting.json': formatJsonFile({ prefersBorder: true }),
      'agenttools/apps/greeting.case.json': appCase('greeting', name),
    },
  };
}

const diceSource = `import { defineTool } from 'agenttools';
import { z } from 'zod';

export default defineTool({
  title: 'Roll dice',
  description: 'Rolls dice, and returns the values and their sum.',
  input: z.object({
    count: z.number().int().min(1).max(20).default(2).describe('Number of dice'),
    sides: z.number().int().min(1).max(100).default(6).describe('Number of sides of each die'),
  }),
  output: z.object({ values: z.array(z.number().int()), sum: z.number().int() }),
  handler({ count, sides }) {
    const values = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
    return { values, sum: values.reduce((sum, value) => sum + value, 0) };
  },
});
`;

function dice(language: SourceLanguage): TemplateContent {
  return {
    description: 'Rolls dice: a tool for MCP clients.',
    manifest: { tools: [['roll_dice', 'Rolls dice']] },
    items: [['tools', 'roll_dice', 'Rolls dice, and returns the values and their sum.']],
    files: {
      [definitionPath('tools', 'roll_dice', language)]: diceSource,
      [casePath('tools', 'roll_dice')]: formatJsonFile({
        tool: 'roll_dice',
        arguments: { count: 3, sides: 1 },
        expect: { value: { values: [1, 1, 1], sum: 3 } },
      }),
    },
    dependencies: { zod: '^4.0.0' },
    call: ['roll_dice', '{"count":3}'],
  };
}

const toolkitSource = `import { defineToolkit, fields, tool } from 'agenttools';

const input = fields({ text: { type: 'string', required: true, description: 'Text to examine' } });

export default defineToolkit({ category: 'Text' }, [
  tool({ description: 'Counts the words of a text.', input }, function count_words({ text }) {
    return text.split(/\\s+/).filter((word) => word !== '').length;
  }),

  tool({ description: 'Reverses the characters of a text.', input }, function reverse_text({ text }) {
    return [...text].reverse().join('');
  }),
]);
`;

function toolkit(language: SourceLanguage): TemplateContent {
  const text = 'To be or not to be';
  const cases = [
    { tool: 'count_words', arguments: { text }, expect: { text: '6' } },
    { tool: 'reverse_text', arguments: { text: 'abc' }, expect: { text: 'cba' } },
  ];
  return {
    description: 'Examines texts: tools for MCP clients.',
    manifest: { tools: [{ toolkit: 'text', tools: ['count_words', 'reverse_text'] }] },
    items: [
      ['tools', 'count_words', 'Counts the words of a text.'],
      ['tools', 'reverse_text', 'Reverses the characters of a text.'],
    ],
    files: {
      [definitionPath('tools', 'text', language)]: toolkitSource,
      [casePath('tools', 'text')]: formatJsonFile({ cases }),
    },
    call: ['count_words', `{"text":"${text}"}`],
  };
}

const reviewSource = `import { definePrompt } from 'agenttools';

export default definePrompt({
  title: 'Review',
  description: 'Asks for a review of a text.',
  arguments: [{ name: 'text', description: 'Text to review', required: true }],
  content: { template: 'Name the three weakest sentences of this text, and improve them:\\n\\n{{text}}' },
});
`;

function prompts(language: SourceLanguage): TemplateContent {
  const review = {
    title: 'Review',
    description: 'Asks for a review of a text.',
    arguments: [{ name: 'text', description: 'Text to review', required: true }],
    content: {
      template: 'Name the three weakest sentences of this text, and improve them:\n\n{{text}}',
    },
  };
  return {
    description: 'Reviews texts: prompts for MCP clients.',
    manifest: {
      prompts: [
        ['review', 'Asks for a review of a text'],
        ['introduce', 'Asks for an introduction'],
      ],
    },
    items: [
      ['prompts', 'review', 'Asks for a review of a text.'],
      ['prompts', 'introduce', 'Asks for an introduction.'],
    ],
    files: {
      ...(language === 'typescript'
        ? { [definitionPath('prompts', 'review', language)]: reviewSource }
        : { 'agenttools/prompts/review.json': formatJsonFile(review) }),
      [casePath('prompts', 'review')]: formatJsonFile({
        prompt: 'review',
        arguments: { text: 'Once upon a time.' },
        expect: { pattern: 'Once upon a time\\.$' },
      }),
      ...introduceFiles(language),
    },
  };
}
