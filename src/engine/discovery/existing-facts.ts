import { looksSecret } from '../base/looks-secret.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  ProgramRunner,
  ServerInput,
  ServerTemplate,
  TextTemplate,
} from '../existing-servers/existing-server.js';

import type { UpstreamRecord } from '../runtime/upstream-records.js';

/** An MCP server that is not an extension. */
export interface ExistingServerFacts {
  readonly kind: 'existing server';
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly version: string | null;
  readonly source: ExistingServer['source'];
  readonly reference: string;
  readonly publisher: string | null;
  readonly repository: string | null;
  readonly websiteUrl: string | null;
  /** Command line or URL, with `<names>` of inputs. */
  readonly launch: string;
  readonly inputs: readonly InputFacts[];
  /** Names of its items at its last start through AgentTools; null: it was not started. */
  readonly tools: readonly string[] | null;
  readonly prompts: readonly string[] | null;
  readonly resources: readonly string[] | null;
  readonly notes: readonly string[];
}

/** A value that the user gives. */
export interface InputFacts {
  /** Option and name: `--env API_KEY`. */
  readonly name: string;
  readonly description: string | null;
  readonly required: boolean;
  readonly secret: boolean;
  /** Null: none, or the input is a secret. */
  readonly default: string | readonly string[] | null;
  readonly choices: readonly string[];
}

/** Facts of an existing server that are known without starting it. */
export function existingServerFacts(
  server: ExistingServer,
  items: UpstreamRecord['names'] | undefined = undefined,
): ExistingServerFacts {
  const { name, title, description, version, source, reference, publisher, repository, websiteUrl } = server;
  return {
    kind: 'existing server',
    name,
    title: title ?? null,
    description: description ?? null,
    version: version ?? null,
    source,
    reference,
    publisher: publisher ?? null,
    repository: repository ?? null,
    websiteUrl: websiteUrl ?? null,
    launch: describeLaunch(server.template, server.inputs),
    inputs: server.inputs.map(inputFacts),
    tools: items?.tools ?? null,
    prompts: items?.prompts ?? null,
    resources: items?.resources ?? null,
    notes: server.notes,
  };
}

function inputFacts(input: ServerInput): InputFacts {
  const { givenBy, name, description, isRequired, isSecret, default: preset, choices = [] } = input;
  return {
    name: `--${givenBy} ${name}`,
    description: description ?? null,
    required: isRequired,
    secret: isSecret,
    default: isSecret ? null : (preset ?? null),
    choices,
  };
}

function describeLaunch(template: ServerTemplate, inputs: readonly ServerInput[]): string {
  const names = new Map(inputs.map(({ id, name }) => [id, name]));
  const text = (parts: TextTemplate) =>
    parts
      .map((part) => (typeof part === 'string' ? part : `<${names.get(part.input) ?? part.input}>`))
      .join('');
  if (template.kind === 'bundle') return template.url;
  if (template.kind === 'remote') return text(template.url);
  const words = (all: readonly ArgumentTemplate[]) => all.flatMap((one) => one.words.map(text));
  const args = words(template.args).map((word) => (looksSecret('', word) ? '…' : word));
  return [...runnerWords(template.runner, words), ...args].join(' ');
}

function runnerWords(
  runner: ProgramRunner,
  words: (all: readonly ArgumentTemplate[]) => readonly string[],
): readonly string[] {
  switch (runner.by) {
    case 'npm':
      return ['npx', '-y', `${runner.name}@${runner.version}`];
    case 'uvx': {
      const { name, version, script, options } = runner;
      const spec = version === undefined ? name : `${name}==${version}`;
      return ['uvx', ...words(options), ...(script === undefined ? [spec] : ['--from', spec, script])];
    }
    case 'docker':
      return ['docker', 'run', '-i', '--rm', ...words(runner.options), runner.image];
    case 'dnx': {
      const { name, version, options } = runner;
      return ['dnx', ...words(options), version === undefined ? name : `${name}@${version}`, '--yes', '--'];
    }
    case 'command':
      return [runner.command];
    case 'path':
      return [runner.names[0]];
  }
}
