import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { looksSecret } from '../base/looks-secret.js';
import { isString, isStringList } from '../base/value-checks.js';
import { ReferenceReader } from '../bundles/config-references.js';
import type { ClientEnvironment, EntryLayout, WritableClient } from '../clients/client.js';
import type { ConfigEntry, ConfigValue } from '../clients/edit/editor.js';
import { sameValue } from '../clients/edit/merge-entry.js';
import { withReferences } from '../clients/entry-shapes.js';
import { type HeaderReference, joinFields } from '../clients/header-references.js';
import { type RemoteContent, readRemoteEntry, remoteFields } from '../clients/read-remote-entry.js';
import type { EntryAddition } from '../clients/receipt.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';
import type { ServerInput } from '../existing-servers/existing-server.js';
import { shownUrl } from '../existing-servers/hide-secrets.js';
import { InputCollector } from '../existing-servers/registry-inputs.js';
import { isSecretHeader } from '../extension/upstream-secrets.js';
import type { EntryTarget, Scope } from '../installation/entry-target.js';
import { findReference } from '../installation/find-reference.js';

/** An entry in the file of a client. */
export interface SourceEntry {
  readonly client: WritableClient;
  readonly file: string;
  readonly layout: EntryLayout;
  readonly key: string;
  readonly entry: ConfigEntry;
  /** Definitions of `${input:…}` in the file. */
  readonly inputs: unknown;
}

export interface TranslationTarget {
  readonly client: WritableClient;
  readonly scope: Scope;
  readonly target: EntryTarget;
}

/** The entry for another client. */
export interface TranslatedEntry {
  readonly entry: ConfigEntry;
  readonly additions: readonly EntryAddition[];
  /** Names of variables that the server gets. */
  readonly variables: readonly string[];
  /** Names of variables and headers with secrets as texts. */
  readonly secrets: readonly string[];
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
}

export interface TranslationOptions {
  /** Fields that may be lost. */
  readonly leaveOut: readonly string[];
  readonly surroundings: ClientEnvironment;
}

/**
 * Translates an entry for another client.
 * @throws AgentToolsError that names the parts of the entry that the other client cannot express
 */
export function translateEntry(
  source: SourceEntry,
  target: TranslationTarget,
  { leaveOut, surroundings }: TranslationOptions,
): TranslatedEntry {
  const remote = remoteShapeOf(source.client)?.remoteOf(source.entry) ?? readRemoteEntry(source.entry);
  const launch = remote ? undefined : source.layout.launchOf(source.entry);
  if (!remote && !launch) {
    const message = `"${source.key}" in ${source.client.name} has neither a command nor an address that AgentTools can read.`;
    throw new AgentToolsError('refused', message);
  }
  const lost = lostFields(source).filter((field) => !leaveOut.includes(field));
  if (lost.length > 0) {
    const names = lost.map((name) => `"${name}"`).join(', ');
    const message = `${target.client.name} has no equal for ${names} of ${source.client.name}. Write the entry without: --leave-out ${lost.join(',')}`;
    throw new AgentToolsError('refused', message);
  }
  const translator = new Translator(source, target, surroundings);
  return remote ? translator.remote(remote) : translator.program(launch!);
}

/** Fields that AgentTools reads in entries of any client. */
const knownFields = ['command', 'cmd', 'args', 'env', 'envs', 'environment', 'type', 'transport', 'name'];

/** Fields that list names of variables. */
const nameLists = ['env_vars', 'env_keys'] as const;

/** Settings that mean the same as their absence. */
const harmless: readonly (readonly [string, ConfigValue])[] = [
  ['disabled', false],
  ['enabled', true],
];

/** Fields of an entry that AgentTools does not translate. */
export function lostFields({
  entry,
  layout,
  key,
}: Pick<SourceEntry, 'entry' | 'layout' | 'key'>): readonly string[] {
  const own = layout.entry({ command: '', args: [], env: {}, cwd: '' }, key);
  const known = [...knownFields, ...nameLists, ...remoteFields, ...(layout.cwd ? [layout.cwd] : [])];
  return Object.entries(entry).flatMap(([field, value]) => {
    const isDefault = Object.hasOwn(own, field) && sameValue(own[field], value);
    const isHarmless = harmless.some(([name, held]) => name === field && held === value);
    return known.includes(field) || isDefault || isHarmless || isEmpty(value) ? [] : [field];
  });
}

function isEmpty(value: ConfigValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === '';
}

type Part = string | ServerInput;

type References = readonly (Pick<HeaderReference, 'fields' | 'additions' | 'hint'> & {
  readonly name: string;
  readonly value?: string;
})[];

class Translator {
  readonly #source: SourceEntry;
  readonly #target: TranslationTarget;
  readonly #reader: ReferenceReader;
  readonly #collector = new InputCollector();
  readonly #isSameSyntax: boolean;

  constructor(source: SourceEntry, target: TranslationTarget, surroundings: ClientEnvironment) {
    this.#source = source;
    this.#target = target;
    this.#isSameSyntax =
      syntaxOf(source.client) === syntaxOf(target.client) && !/input:/.test(syntaxOf(source.client) ?? '');
    const folder = path.dirname(source.file);
    this.#reader = new ReferenceReader(this.#collector, {
      projectFolder: folder,
      fileFolder: folder,
      isForeign: true,
      home: surroundings.home,
      platform: surroundings.platform,
      inputs: source.inputs,
    });
  }

  program(launch: NonNullable<ReturnType<EntryLayout['launchOf']>>): TranslatedEntry {
    const { key, entry: held } = this.#source;
    const { scope, target } = this.#target;
    const { layout } = target;
    if (launch.cwd !== undefined && layout.cwd === undefined)
      throw this.#refuse(`has no setting for the working directory, ${launch.cwd}`);
    const [command = '', ...args] = [launch.command, ...launch.args].map((text) =>
      this.#plainText(text, 'the command'),
    );
    const cwd = launch.cwd === undefined ? undefined : this.#plainText(launch.cwd, 'the working directory');
    const plain: [string, string][] = [];
    const references: References[number][] = [];
    for (const [name, text] of Object.entries(launch.env)) {
      const parts = this.#parts(text);
      const isHidden = scope.kind !== 'user' && parts.every(isString) && looksSecret(name, text);
      if (isHidden) references.push(this.#variable(name, name));
      else if (parts.every(isString)) plain.push([name, this.#literal(parts.join(''), name)]);
      else if (this.#isSameSyntax) plain.push([name, text]);
      else references.push(this.#composed(name, parts));
    }
    const named = nameLists.flatMap((field) => (isStringList(held[field]) ? held[field] : []));
    for (const name of named)
      if (!Object.hasOwn(launch.env, name)) references.push(this.#variable(name, name));
    const env = Object.fromEntries(plain);
    const shown = layout.entry({ command, args, env, ...(cwd !== undefined && { cwd }) }, key);
    const filled = references.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return {
      entry: {
        ...withReferences(shown, layout, Object.fromEntries(filled)),
        ...joinFields(references.map(({ fields = {} }) => fields)),
      },
      additions: references.flatMap(({ additions = [] }) => additions),
      variables: [...Object.keys(launch.env), ...named],
      secrets: plain.filter(([name, value]) => looksSecret(name, value)).map(([name]) => name),
      notes: references.map(({ name, hint }) => `${name} is a reference. ${hint}`),
    };
  }

  remote({ url, transport, headers, variableHeaders = {} }: RemoteContent): TranslatedEntry {
    const { key } = this.#source;
    const { client, scope } = this.#target;
    const shape = remoteShapeOf(client);
    if (!shape)
      throw this.#refuse(
        `reaches no remote servers by its file. Install it through AgentTools: agenttools install ${client.id} ${shownUrl(url)}`,
      );
    const known = transport ?? (/\/sse\/?$/.test(url) ? 'sse' : 'http');
    if (!shape.transports.includes(known)) throw this.#refuse(`has no transport ${known}`);
    const plain: [string, string][] = [];
    const references: References[number][] = [];
    const refer = (name: string, prefix: string, variable: string) => {
      const reference = shape.headerReference?.({ name, prefix, variable, key, client: client.name });
      if (!reference) throw this.#refuse(`takes the header ${name} only as a text`);
      references.push({ name, ...reference });
    };
    for (const [name, text] of Object.entries(headers)) {
      const parts = this.#parts(text);
      const [first, second] = parts;
      const isText = parts.every(isString);
      const isHidden =
        shape.refusedHeaders?.test(name) || (scope.kind !== 'user' && isText && isSecretHeader(name, text));
      if (isText && !isHidden) plain.push([name, this.#literal(text, name)]);
      else if (isText) refer(name, /^Bearer /i.exec(text)?.[0] ?? '', variableFor(key, name));
      else if (this.#isSameSyntax) plain.push([name, text]);
      else if (parts.length === 1 && first && !isString(first))
        refer(name, '', variableOf(first, variableFor(key, name)));
      else if (parts.length === 2 && isString(first) && second && !isString(second))
        refer(name, first, variableOf(second, variableFor(key, name)));
      else throw this.#refuse(`cannot express the header ${name}`);
    }
    for (const [name, { variable, prefix }] of Object.entries(variableHeaders)) refer(name, prefix, variable);
    const shown = shape.entry(
      { url: this.#plainText(url, 'the address'), transport: known, headers: Object.fromEntries(plain) },
      key,
    );
    const filled = references.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return {
      entry: {
        ...shape.withReferences(shown, Object.fromEntries(filled)),
        ...joinFields(references.map(({ fields = {} }) => fields)),
      },
      additions: references.flatMap(({ additions = [] }) => additions),
      variables: [],
      secrets: plain.filter(([name, value]) => isSecretHeader(name, value)).map(([name]) => name),
      notes: references.map(({ name, hint }) => `The header ${name} is a reference. ${hint}`),
    };
  }

  /** Parts of a text in the syntax of the source. */
  #parts(text: string): readonly Part[] {
    if (syntaxOf(this.#source.client) === undefined) return [text];
    const known = this.#reader.notes.length;
    const parts = this.#reader.read(text);
    if (this.#reader.notes.length > known && !this.#isSameSyntax)
      throw this.#refuse(`cannot express "${text}"`);
    return parts.map((part) =>
      isString(part) ? part : this.#collector.inputs.find(({ id }) => id === part.input)!,
    );
  }

  /** A text that stays the same. */
  #plainText(text: string, what: string): string {
    if (this.#isSameSyntax) return text;
    const parts = this.#parts(text);
    if (parts.every(isString)) return this.#literal(parts.join(''), what);
    throw this.#refuse(`fills no references such as those in ${what}, "${text}"`);
  }

  /** @throws AgentToolsError if the target would read a part of the text as a reference */
  #literal(text: string, what: string): string {
    if (this.#isSameSyntax) return text;
    const found = findReference(text, syntaxOf(this.#target.client));
    if (found === undefined) return text;
    throw this.#refuse(
      `reads "${found}" in ${what} as a reference, and ${this.#source.client.name} does not`,
    );
  }

  /** A variable with the value of a text with references. */
  #composed(name: string, parts: readonly Part[]): References[number] {
    const inputs = parts.filter((part): part is ServerInput => !isString(part));
    const [input] = inputs;
    if (inputs.length > 1 || input!.default !== undefined || !isVariableLike(input!))
      throw this.#refuse(`cannot express the value of ${name}`);
    const reference = this.#variable(name, variableOf(input!, name));
    if (parts.length === 1) return reference;
    if (reference.value === undefined) throw this.#refuse(`cannot express the value of ${name}`);
    return { ...reference, value: parts.map((part) => (isString(part) ? part : reference.value)).join('') };
  }

  /** A variable `name` with the value of a variable of the environment. */
  #variable(name: string, variable: string): References[number] {
    const { client } = this.#target;
    const reference = client.secretReference?.(variable, this.#source.key, client.name);
    if (!reference)
      throw this.#refuse(`has no references, and ${name} is one. Set its value in ${client.name} by hand`);
    if (reference.value === undefined && name !== variable)
      throw this.#refuse(`cannot give the variable ${variable} to the server as ${name}`);
    return { name, ...reference };
  }

  #refuse(reason: string): AgentToolsError {
    return new AgentToolsError('refused', `${this.#target.client.name} ${reason}.`);
  }
}

/** Syntax of references in texts, with `NAME`; undefined if the client fills none. */
function syntaxOf(client: WritableClient): string | undefined {
  return client.secretReference?.('NAME', 'key', client.name).value;
}

/** Other names, such as `workspaceFolder`, have a meaning for one client only. */
function isVariableLike({ givenBy, name }: ServerInput): boolean {
  return givenBy === 'arg' || /^[A-Z_][A-Z0-9_]*$/.test(name);
}

/** Name of the variable of an input. An input that the client asks for has none. */
function variableOf({ givenBy, name }: ServerInput, otherwise: string): string {
  return givenBy === 'env' ? name : otherwise;
}

function variableFor(key: string, header: string): string {
  return `${key}_${header}`
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
}
