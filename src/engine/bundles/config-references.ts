import { looksSecret } from '../base/looks-secret.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { ServerInput, TextTemplate } from '../existing-servers/existing-server.js';
import type { InputCollector } from '../existing-servers/registry-inputs.js';

export interface ReferenceContext {
  /** Folder that relative paths of the file are meant from. */
  readonly projectFolder: string;
  /** True if the project of the user is another folder, as for a plugin. Default: false. */
  readonly isForeign?: boolean;
  /** Folder of the file. */
  readonly fileFolder: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Definitions of `${input:…}`, as in files of VS Code. */
  readonly inputs: unknown;
}

/**
 * References in texts of config files: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `{env:VAR}`, `${{ secrets.VAR }}`,
 * `${input:id}`, `${user_config.key}`, and `$VAR` as a whole text.
 */
const references = /\$\{\{\s*secrets\.([\w./-]+)\s*\}\}|\$\{([^{}]*)\}|\{env:(\w+)\}|^\$([A-Z_][A-Z0-9_]*)$/;

/** Reads texts of a config file as templates. References to values become inputs. */
export class ReferenceReader {
  readonly #collector: InputCollector;
  readonly #context: ReferenceContext;
  readonly #known: Readonly<Record<string, string>>;
  readonly #notes = new Set<string>();

  constructor(collector: InputCollector, context: ReferenceContext) {
    this.#collector = collector;
    this.#context = context;
    this.#known = knownValues(context);
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** `isSecret`: every value in the text is a secret, as in a header with credentials. */
  read(text: string, { isSecret = false }: { readonly isSecret?: boolean } = {}): TextTemplate {
    const parts: TextTemplate[number][] = [];
    let rest = text;
    for (let found = references.exec(rest); found; found = references.exec(rest)) {
      const [whole, secret, braced, opencode, bare] = found;
      parts.push(rest.slice(0, found.index));
      const variable = opencode ?? bare;
      if (secret !== undefined) parts.push(this.variable(lastName(secret), { isSecret: true }));
      else if (variable !== undefined) parts.push(this.variable(variable, { isSecret }));
      else parts.push(this.#readBraced(braced ?? '', whole, isSecret));
      // The bare form matches at the start of the whole text only.
      rest = rest.slice(found.index + whole.length);
      if (rest === '') break;
    }
    const filled = [...parts, rest].filter((part) => part !== '');
    return filled.length === 0 ? [''] : filled;
  }

  /** Input for a variable of the environment. */
  variable(
    name: string,
    { isSecret = false, preset }: { readonly isSecret?: boolean; readonly preset?: string | undefined } = {},
  ): { readonly input: string } {
    const input: Omit<ServerInput, 'id'> = {
      givenBy: 'env',
      name,
      isRequired: preset === undefined,
      isSecret: isSecret || looksSecret(name, 'value'),
      isRepeated: false,
      format: 'string',
      ...(preset !== undefined && { default: preset }),
    };
    return { input: this.#collector.add(input) };
  }

  #readBraced(content: string, whole: string, isSecret: boolean): TextTemplate[number] {
    if (Object.hasOwn(this.#known, content)) return this.#known[content]!;
    const [, id] = /^input:(.+)$/.exec(content) ?? [];
    if (id !== undefined) return this.#readInput(id, isSecret);
    const [, key] = /^user_config\.(.+)$/.exec(content) ?? [];
    if (key !== undefined) return this.#argument(key, { isSecret });
    const [, name, preset] = /^(?:env:)?(\w+)(?::-(.*))?$/s.exec(content) ?? [];
    if (name === undefined) {
      this.#notes.add(`${whole} is unknown outside the client of the file. It is passed unchanged.`);
      return whole;
    }
    return Object.hasOwn(this.#known, name) ? this.#known[name]! : this.variable(name, { isSecret, preset });
  }

  /** @see https://code.visualstudio.com/docs/copilot/reference/mcp-configuration, "Input variables" */
  #readInput(id: string, isSecret: boolean): TextTemplate[number] {
    const { inputs } = this.#context;
    const definition: unknown = Array.isArray(inputs)
      ? inputs.find((one) => isRecord(one) && one.id === id)
      : undefined;
    const { description, password, default: preset, options } = isRecord(definition) ? definition : {};
    const choices = (Array.isArray(options) ? options : [])
      .map((one: unknown) => (isRecord(one) ? one.value : one))
      .filter(isString);
    return this.#argument(id, {
      isSecret: isSecret || password === true,
      ...(isString(description) && { description }),
      ...(isString(preset) && preset !== '' && { default: preset, isRequired: false }),
      ...(choices.length > 0 && { choices }),
    });
  }

  #argument(name: string, more: Partial<ServerInput>): TextTemplate[number] {
    const input = this.#collector.add({
      givenBy: 'arg',
      name,
      isRequired: true,
      isRepeated: false,
      format: 'string',
      ...more,
      isSecret: more.isSecret === true || looksSecret(name, 'value'),
    });
    return { input };
  }
}

function lastName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('.')) + 1);
}

/** Variables that clients define, with the values for this file. */
function knownValues({
  projectFolder,
  isForeign = false,
  fileFolder,
  home,
  platform,
}: ReferenceContext): Readonly<Record<string, string>> {
  const separator = platform === 'win32' ? '\\' : '/';
  return {
    HOME: home,
    USERPROFILE: home,
    userHome: home,
    ...(!isForeign && {
      workspaceFolder: projectFolder,
      workspaceRoot: projectFolder,
      CLAUDE_PROJECT_DIR: projectFolder,
    }),
    CLAUDE_PLUGIN_ROOT: fileFolder,
    PLUGIN_ROOT: fileFolder,
    extensionPath: fileFolder,
    __dirname: fileFolder,
    '/': separator,
    pathSeparator: separator,
  };
}
