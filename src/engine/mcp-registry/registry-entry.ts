import { isRecord, isString } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';

/** A server in an MCP registry, in one version. */
export interface RegistryEntry {
  /** Namespace and name: `io.github.acme/tickets`. */
  readonly name: string;
  readonly version: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** Reason for the status, by the publisher. */
  readonly statusMessage: string | null;
  /** Publication time of this version, in ISO 8601. */
  readonly published: string | null;
  /** npm packages that the entry offers. */
  readonly npmPackages: readonly string[];
  /** The `server.json`, as published. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Key of the registry's own data beside the document. Other registries may have none. */
const officialKey = 'io.modelcontextprotocol.registry/official';

const statuses: readonly unknown[] = ['active', 'deprecated', 'deleted'];

/**
 * Reads an element of `servers`, or the answer for one version; undefined if it names no server.
 * @see https://github.com/modelcontextprotocol/registry docs/reference/api/openapi.yaml, "ServerResponse"
 */
export function readEntry(answer: unknown): RegistryEntry | undefined {
  if (!isRecord(answer)) return undefined;
  const document = isRecord(answer.server) ? answer.server : answer;
  const { name, version, title, description, packages } = document;
  if (!isRegistryName(name) || !isString(version) || version === '' || version.length > 255) return undefined;
  const meta = isRecord(answer._meta) ? answer._meta[officialKey] : undefined;
  const { status = document.status, statusMessage, publishedAt } = isRecord(meta) ? meta : {};
  return {
    name,
    version,
    title: shortText(title, 200),
    description: shortText(description, 1000),
    status: statuses.includes(status) ? (status as RegistryEntry['status']) : 'active',
    statusMessage: shortText(statusMessage, 500),
    published: readTime(publishedAt),
    npmPackages: (Array.isArray(packages) ? packages : []).flatMap((one: unknown) =>
      isRecord(one) && one.registryType === 'npm' && isString(one.identifier) ? [one.identifier] : [],
    ),
    document,
  };
}

/** True for a namespace with a dot, and a name: `io.github.acme/tickets`. */
export function isRegistryName(text: unknown): text is string {
  return (
    isString(text) &&
    text.length <= 200 &&
    /^[a-z0-9](?:[a-z0-9-]*\.)+[a-z0-9.-]*[a-z0-9]\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i.test(text)
  );
}

function shortText(value: unknown, limit: number): string | null {
  return isString(value) && value.trim() !== '' ? shortenText(value, limit) : null;
}

function readTime(value: unknown): string | null {
  const time = isString(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
