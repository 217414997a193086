import path from 'node:path';
import { isString } from '../base/value-checks.js';
import type { ArgumentTemplate, ServerInput, TextTemplate } from '../existing-servers/existing-server.js';

/** Facts behind the variables of a manifest. */
export interface VariableFacts {
  /** Folder of the unpacked bundle. */
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Text of the desktop's list of user folders; undefined: it is missing. */
  readonly userFolders: string | undefined;
}

/** Values of the variables of a manifest by name. */
export type VariableValues = Readonly<Record<string, string>>;

/** @see https://github.com/modelcontextprotocol/mcpb MANIFEST.md, "Variable Substitution" */
export function variableValues(facts: VariableFacts): VariableValues {
  const { folder, home, platform } = facts;
  const separator = platform === 'win32' ? '\\' : '/';
  return {
    __dirname: folder,
    HOME: home,
    DESKTOP: userFolder('DESKTOP', 'Desktop', facts),
    DOCUMENTS: userFolder('DOCUMENTS', 'Documents', facts),
    DOWNLOADS: userFolder('DOWNLOAD', 'Downloads', facts),
    '/': separator,
    pathSeparator: separator,
  };
}

/**
 * A folder of the user. On Linux, its name depends on the language.
 * @see https://www.freedesktop.org/wiki/Software/xdg-user-dirs/
 */
function userFolder(
  key: string,
  usual: string,
  { home, env, platform, userFolders = '' }: VariableFacts,
): string {
  const fallback = path.join(home, usual);
  if (platform !== 'linux') return fallback;
  const variable = `XDG_${key}_DIR`;
  const line = new RegExp(`^\\s*${variable}=(["']?)(.+?)\\1\\s*$`, 'm').exec(userFolders);
  const value = env[variable] ?? line?.[2];
  if (value === undefined) return fallback;
  const file = value.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, () => home);
  return path.isAbsolute(file) ? file : fallback;
}

const placeholder = /\$\{([^{}]*)\}/;

/** Text with the values of its variables. References to inputs stay. */
export function expandVariables(text: string, values: VariableValues): string {
  return text.replace(new RegExp(placeholder, 'g'), (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  );
}

/** Reads the texts of a manifest as templates. Collects notes about variables that have no meaning. */
export class ManifestTexts {
  readonly #values: VariableValues;
  readonly #inputs: ReadonlyMap<string, ServerInput>;
  readonly #notes = new Set<string>();

  constructor(values: VariableValues, inputs: readonly ServerInput[]) {
    this.#values = values;
    this.#inputs = new Map(inputs.map((input) => [input.id, input]));
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** A template; undefined if it contains an input that the manifest does not declare. */
  read(text: string): TextTemplate | undefined {
    const parts = text.split(new RegExp(placeholder, 'g')).map((part, index) => {
      if (index % 2 === 0) return part;
      if (Object.hasOwn(this.#values, part)) return this.#values[part]!;
      const [, key] = /^user_config\.(.+)$/.exec(part) ?? [];
      if (key !== undefined) return this.#inputs.has(key) ? { input: key } : this.#undeclared(key);
      this.#notes.add(
        `The manifest uses \${${part}}, which is no variable of bundles. It is passed unchanged.`,
      );
      return `\${${part}}`;
    });
    return parts.includes(undefined) ? undefined : joinTexts(parts as TextTemplate);
  }

  #undeclared(key: string): undefined {
    this.#notes.add(
      `The manifest uses \${user_config.${key}} without a declaration. Arguments and variables with it are left out.`,
    );
  }

  /** Arguments. An option and its value are left out together. */
  readArguments(args: readonly string[]): readonly ArgumentTemplate[] {
    const words = args.map((word) => this.read(word));
    return words.flatMap((word, index): readonly ArgumentTemplate[] => {
      if (word === undefined) return [];
      const next = loneReference(args[index + 1]);
      if (isOption(word) && next !== undefined)
        return this.#inputs.has(next) ? [{ words: [word], needs: next }] : [];
      const input = loneReference(args[index]);
      const isRepeated = input !== undefined && this.#inputs.get(input)?.isRepeated === true;
      return [{ words: [word], ...(isRepeated && { repeats: input }) }];
    });
  }

  readEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, TextTemplate>> {
    const pairs = Object.entries(env).map(([name, text]) => [name, this.read(text)] as const);
    return Object.fromEntries(
      pairs.filter((pair): pair is readonly [string, TextTemplate] => pair[1] !== undefined),
    );
  }
}

function joinTexts(parts: TextTemplate): TextTemplate {
  const joined: TextTemplate[number][] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isString(part) && isString(last)) joined[joined.length - 1] = last + part;
    else if (part !== '') joined.push(part);
  }
  return joined.length === 0 ? [''] : joined;
}

/** Key of the input that is the whole argument. */
function loneReference(word: string | undefined): string | undefined {
  return /^\$\{user_config\.([^{}]+)\}$/.exec(word ?? '')?.[1];
}

/** True for an option that may have its value in the next word. */
function isOption(word: TextTemplate): boolean {
  const [first] = word;
  return word.length === 1 && isString(first) && /^-[^=]*$/.test(first) && first !== '--' && first !== '-';
}
