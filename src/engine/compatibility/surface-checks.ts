import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord, isString } from '../base/value-checks.js';
import { isWireName } from '../extension/names.js';
import { plainName } from '../extension/tool-alias.js';
import { type ClientLimit, refuses } from './client-limits.js';
import type { CompatibilityFinding } from './compatibility-finding.js';
import { checkInputSchema, patternOf } from './schema-checks.js';

/** A tool as `tools/list` shows it. */
export type ListedTool = Readonly<Record<string, unknown>> & { readonly name: string };

/** Checks one tool for forms that clients refuse, drop or change. */
export function* checkTool(tool: ListedTool): Generator<CompatibilityFinding> {
  const { name, description, inputSchema } = tool;
  // Names that MCP forbids are faults of another rule.
  if (isWireName(name) && !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name))
    yield {
      code: 'compat/tool-name-charset',
      problem: `The name "${name}" has characters other than letters, digits, _ and -, or does not begin with a letter`,
      remedy: `Rename the tool, such as to "${plainName(name)}".`,
      path: ['name'],
    };
  yield {
    code: 'compat/tool-name-reserved',
    problem: `Some clients have a tool with the name "${name}" themselves, or use its beginning`,
    remedy: 'Add a noun of your domain to the name.',
    path: ['name'],
    concerns: ({ scope }) => !patternOf(String(scope?.pattern)).test(name),
  };
  if (isString(description))
    yield {
      code: 'compat/description-length',
      problem: `The description has ${description.length.toLocaleString('en-US')} characters`,
      remedy: 'Write the purpose into the first sentences, and move details into a resource or a skill.',
      path: ['description'],
      measured: description.length,
      concerns: ({ scope }) => scope?.of === 'tool',
    };
  if (isRecord(inputSchema)) yield* checkInputSchema(inputSchema);
  yield* checkListForm(tool);
  const { _meta: meta, execution } = tool;
  if (isRecord(execution) && execution.taskSupport === 'required')
    yield* checkNeeds([{ feature: 'tasks', path: ['execution', 'taskSupport'] }]);
  const visibility = isRecord(meta) && isRecord(meta.ui) ? meta.ui.visibility : undefined;
  if (Array.isArray(visibility) && !visibility.includes('model'))
    yield {
      code: 'compat/app-only-exposed',
      problem: 'The tool is for its app only',
      remedy: 'Check the caller in the handler: some clients offer the tool to the model.',
      path: ['_meta', 'ui', 'visibility'],
    };
}

/** A feature of MCP that clients may lack, and its place in the tool. */
interface FeatureNeed {
  readonly feature: string;
  readonly path: DocumentPath;
}

/** Time and features of the calls of a tool, from its definition. */
export interface CallFacts {
  /** Features without which the tool does not run. */
  readonly needs: readonly FeatureNeed[];
  /** Longest time of a call, if the author has set it. Absent for calls that are always tasks. */
  readonly timeoutMs?: number | undefined;
}

/** Checks the time and the features that calls of a tool need. */
export function* checkCalls({ needs, timeoutMs }: CallFacts): Generator<CompatibilityFinding> {
  yield* checkNeeds(needs);
  if (timeoutMs !== undefined)
    yield {
      code: 'compat/slow-tool',
      problem: `A call may take ${(timeoutMs / 1000).toLocaleString('en-US')} seconds`,
      remedy: 'Return at once, and give the result in a second tool.',
      path: ['timeoutMs'],
      measured: timeoutMs / 1000,
    };
}

const featureWords: Readonly<Record<string, string>> = {
  sampling: 'answers of the model of the client (sampling)',
  elicitation: 'answers of the user (elicitation)',
  roots: 'the roots of the client',
  tasks: 'clients with tasks',
};

function* checkNeeds(needs: readonly FeatureNeed[]): Generator<CompatibilityFinding> {
  for (const { feature, path } of needs)
    yield {
      code: 'compat/feature-unsupported',
      problem: `The tool needs ${featureWords[feature] ?? feature}`,
      remedy: 'Give the tool another way, such as an argument, for clients without it.',
      path,
      concerns: ({ scope }) => scope?.feature === feature,
    };
}

/** Forms that the TypeScript SDK refuses, with the whole list. @see TypeScript SDK 1.x, ListToolsResultSchema */
function* checkListForm(tool: ListedTool): Generator<CompatibilityFinding> {
  const refused = (path: readonly string[], problem: string, remedy: string): CompatibilityFinding => ({
    code: 'compat/tool-list-rejected',
    problem,
    remedy,
    path,
    ...(path[0] === 'outputSchema' && { concerns: refuses('outputSchema') }),
  });
  for (const key of ['description', 'title', 'annotations', '_meta', 'outputSchema', 'icons'])
    if (tool[key] === null) yield refused([key], `"${key}" is null`, 'Leave it out.');
  for (const key of ['inputSchema', 'outputSchema']) {
    const schema = tool[key];
    if (!isRecord(schema)) continue;
    if (schema.type !== 'object')
      yield refused([key], `"${key}" does not have the type "object" at its root`, 'Add "type": "object".');
    if (schema.properties !== undefined && !isRecord(schema.properties))
      yield refused(
        [key, 'properties'],
        `"properties" of "${key}" is not an object`,
        'Leave it out, or use {}.',
      );
    if (schema.required !== undefined && !Array.isArray(schema.required))
      yield refused([key, 'required'], `"required" of "${key}" is not a list`, 'Leave it out, or use [].');
  }
}

/** A server as clients see it. */
export interface ListedServer {
  /** Key of the server in configs of clients. */
  readonly key: string;
  readonly instructions?: unknown;
  readonly tools: readonly string[];
}

/** A finding about a tool by its index in the server, or about the server. */
export interface ServerFinding extends CompatibilityFinding {
  readonly tool?: number;
}

/** True for clients that take names for one if they differ in case. */
export function ignoresCase({ scope }: ClientLimit): boolean {
  return scope?.ignores === 'case';
}

/** Checks the names of all tools together, their number, and the instructions. */
export function* checkServer({ key, instructions, tools }: ListedServer): Generator<ServerFinding> {
  yield {
    code: 'compat/tool-count',
    problem: `The server "${key}" has ${tools.length} tools`,
    remedy: 'Serve groups of tools as servers, or use the catalog.',
    path: ['tools'],
    measured: tools.length,
  };
  if (isString(instructions))
    yield {
      code: 'compat/instructions-length',
      problem: `The instructions have ${instructions.length.toLocaleString('en-US')} characters`,
      remedy: 'Write the most important part first, and repeat what a tool needs in its description.',
      path: ['instructions'],
      measured: instructions.length,
    };
  const names = new Map<string, string>();
  for (const [index, name] of tools.entries()) {
    yield {
      code: 'compat/tool-name-length',
      problem: `The name "${name}" has ${name.length} characters, and ${key.length + name.length} with the key "${key}"`,
      remedy: 'Shorten the name, or the key of the server.',
      path: ['name'],
      tool: index,
      measured: key.length + name.length,
    };
    const plain = plainName(name);
    const same = names.get(plain);
    const first = same ?? names.get(plain.toLowerCase());
    if (first !== undefined && first !== name)
      yield {
        code: 'compat/tool-name-collision',
        problem: `The names "${first}" and "${name}" are one name in some clients`,
        remedy: 'Rename one of the tools.',
        path: ['name'],
        tool: index,
        // Most clients keep names apart that differ in case.
        ...(same === undefined && { concerns: ignoresCase }),
      };
    for (const key of [plain, plain.toLowerCase()]) if (!names.has(key)) names.set(key, name);
  }
}
