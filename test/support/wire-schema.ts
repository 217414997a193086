import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** One message on the wire, and who wrote it. */
export interface Spoken {
  readonly by: 'client' | 'server';
  readonly message: WireMessage;
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type WireMessage = any;

/**
 * What the official schema of a revision has against the messages that a server wrote: an answer is held against the
 * result of the method it answers, a request and a notification against their own definition. Empty: all are right.
 */
export function wireFaults(revision: string, spoken: readonly Spoken[]): readonly string[] {
  const schema = schemaOf(revision);
  const asked = new Map<unknown, string>();
  const faults: string[] = [];
  for (const { by, message } of spoken) {
    if (by === 'client') {
      if ('method' in message && 'id' in message) asked.set(message.id, message.method);
      continue;
    }
    const method = asked.get(message.id);
    const isAnswer = !('method' in message);
    const fault = isAnswer ? schema.faultOfAnswer(message, method) : schema.faultOfCall(message);
    if (fault === undefined) continue;
    const what = isAnswer ? `the answer to ${method ?? 'nothing that was asked'}` : message.method;
    faults.push(`${revision}, ${what}: ${fault}\n${JSON.stringify(message).slice(0, 2000)}`);
  }
  return faults;
}

const schemas = new Map<string, RevisionSchema>();

function schemaOf(revision: string): RevisionSchema {
  const known = schemas.get(revision) ?? new RevisionSchema(revision);
  schemas.set(revision, known);
  return known;
}

type Definitions = Readonly<Record<string, WireMessage>>;

/** Methods whose results have a definition that is not named after their request. */
const emptyResults = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** The definitions of one revision, found by what they are about. */
class RevisionSchema {
  readonly #ajv: Ajv | Ajv2020;
  readonly #root: string;
  readonly #definitions: Definitions;

  constructor(revision: string) {
    const file = new URL(`mcp-schemas/${revision}.json.gz`, import.meta.url);
    const schema = JSON.parse(gunzipSync(readFileSync(file)).toString());
    const isNew = schema.$defs !== undefined;
    this.#ajv = new (isNew ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
    formats.default(this.#ajv);
    this.#ajv.addSchema(schema, revision);
    this.#definitions = isNew ? schema.$defs : schema.definitions;
    this.#root = `${revision}#/${isNew ? '$defs' : 'definitions'}`;
  }

  /** What is wrong with a result or an error, given the method it answers. */
  faultOfAnswer(message: WireMessage, method: string | undefined): string | undefined {
    if ('error' in message) return this.#faultOfError(message);
    if (method === undefined) return 'a result that nobody asked for';
    const envelope = this.#has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
    return (
      this.#fault(envelope, message) ?? this.#fault(this.#resultOf(method, message.result), message.result)
    );
  }

  /** What is wrong with a request or a notification. */
  faultOfCall(message: WireMessage): string | undefined {
    const kind = 'id' in message ? 'Request' : 'Notification';
    const side = this.#definitions[`Server${kind}`];
    // 2026-07-28 has no requests of servers at all.
    if (side === undefined) return `a server sends no ${kind.toLowerCase()}s`;
    const names: string[] = side.anyOf.map(({ $ref }: { $ref: string }) =>
      $ref.slice($ref.lastIndexOf('/') + 1),
    );
    const name = names.find((one) => this.#methodOf(one) === message.method);
    if (name === undefined) return `not among what a server sends: ${names.join(', ')}`;
    return this.#fault(`JSONRPC${kind}`, message) ?? this.#fault(name, message);
  }

  #resultOf(method: string, result: WireMessage): string {
    if (result?.resultType === 'input_required') return 'InputRequiredResult';
    if (emptyResults.has(method)) return 'EmptyResult';
    const request = Object.keys(this.#definitions).find((name) => this.#methodOf(name) === method);
    return `${request?.replace(/Request$/, '')}Result`;
  }

  #methodOf(name: string): string | undefined {
    return this.#definitions[name]?.properties?.method?.const;
  }

  /** Errors with a number of their own have a definition of their own. */
  #faultOfError(message: WireMessage): string | undefined {
    const envelope = this.#has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError';
    const special = Object.entries(this.#definitions).find(([, { properties }]) =>
      properties?.error?.allOf?.some(
        ({ properties: own }: WireMessage) => own?.code?.const === message.error?.code,
      ),
    );
    return this.#fault(envelope, message) ?? (special && this.#fault(special[0], message));
  }

  #has(name: string): boolean {
    return this.#definitions[name] !== undefined;
  }

  #fault(name: string, value: unknown): string | undefined {
    const validate: ValidateFunction | undefined = this.#ajv.getSchema(`${this.#root}/${name}`);
    if (!validate) return `the schema has no ${name}`;
    return validate(value) ? undefined : `no ${name}: ${(validate.errors ?? []).map(told).join('; ')}`;
  }
}

function told({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
}
