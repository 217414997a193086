import { type Client, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import { skillsExtension } from '../protocol/protocol-extensions.js';
import { anyResult } from './any-result.js';
import { LinkError } from './upstream-errors.js';

/** A part of an upstream server's listing: a list method, and the key of its entries. */
const listParts = {
  tools: { method: 'tools/list', key: 'tools', capability: 'tools' },
  prompts: { method: 'prompts/list', key: 'prompts', capability: 'prompts' },
  resources: { method: 'resources/list', key: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', key: 'resourceTemplates', capability: 'resources' },
  skills: { method: 'skills/list', key: 'skills', capability: skillsExtension },
} as const;

export type ListPart = keyof typeof listParts;

/** Limits of a list, which a faulty server may never end. */
const maxListedItems = 10_000;
const maxListPages = 1000;

interface ListReaderOptions {
  readonly signal: AbortSignal;
  /** Converts a failure to an error for the caller. */
  readonly explain: (error: unknown) => Error;
}

/** Reads the lists of an upstream server over one connection. */
export class ListReader {
  readonly #client: Client;
  readonly #options: ListReaderOptions;
  /** Last received pages by the keys of their entries, in case the SDK rejects all of a page for one entry. */
  readonly #lastPages = new Map<string, JsonObject>();

  constructor(client: Client, options: ListReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Keeps the pages that arrive on a transport. */
  watch(transport: Transport): void {
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const result = 'result' in message && isRecord(message.result) ? message.result : {};
      for (const { key } of Object.values(listParts)) {
        if (Array.isArray(result[key])) this.#lastPages.set(key, result);
      }
      onmessage?.(message, extra);
    };
  }

  /** Returns all entries of a list, unchanged. @throws LinkError; ProtocolError with the error of the server */
  async read(part: ListPart, timeoutMs: number): Promise<readonly unknown[]> {
    const { method, key, capability } = listParts[part];
    const declared = this.#client.getServerCapabilities() ?? {};
    if (!Object.hasOwn({ ...declared.extensions, ...declared }, capability)) return [];
    const deadline = performance.now() + timeoutMs;
    const entries: unknown[] = [];
    const cursors = new Set<unknown>();
    let cursor: unknown;
    do {
      const page = await this.#page(part, cursor, deadline - performance.now());
      const listed = page[key];
      if (!Array.isArray(listed)) throw new LinkError(`it answers ${method} with no list of ${part}`);
      if (listed.length > maxListedItems) {
        const limit = `${listed.length} ${part} on one page, and the limit is ${maxListedItems}`;
        throw new LinkError(`its list of ${part} is too long: ${limit}`);
      }
      entries.push(...listed);
      cursor = page.nextCursor;
      if (cursors.has(cursor) || cursors.size === maxListPages || entries.length > maxListedItems) {
        throw new LinkError(`its list of ${part} has no end: it was read up to ${entries.length} ${part}`);
      }
      cursors.add(cursor);
    } while (cursor !== undefined && cursor !== null);
    return entries;
  }

  async #page(part: ListPart, cursor: unknown, timeoutMs: number): Promise<JsonObject> {
    const { method, key } = listParts[part];
    const params = cursor === undefined ? {} : { cursor: cursor as string };
    const { signal, explain } = this.#options;
    const options = { timeout: Math.max(1, timeoutMs), signal };
    try {
      const page = await this.#client.request({ method, params }, anyResult, options);
      return isRecord(page) ? page : {};
    } catch (error) {
      const isRefused = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult;
      const last = this.#lastPages.get(key);
      if (isRefused && last) return last;
      throw explain(error);
    } finally {
      this.#lastPages.delete(key);
    }
  }
}
