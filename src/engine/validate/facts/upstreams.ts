import path from 'node:path';
import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import { checkShape, isFunctionLike } from '../../extension/check-shape.js';
import { checkEndpoint, checkUpstreamEntry } from '../../extension/check-upstream.js';
import { isSerious } from '../../extension/describe-fault.js';
import type { Location } from '../../extension/diagnostics.js';
import type { Definition } from '../../extension/extension.js';
import { toolUpstreamShape } from '../../extension/keys/endpoint-keys.js';
import { EndpointError, findPackageScript, requirePlace } from '../../extension/upstream-endpoint.js';
import { endpointName, findLiteralSecrets } from '../../extension/upstream-secrets.js';
import { declaredEndpoints } from '../../runtime/declared-endpoints.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { endpointScope } from '../../runtime/upstream-spec.js';
import { entryLabel } from './entries.js';

/** An upstream server of a definition, as known without starting or contacting it. */
export interface UpstreamSnapshot {
  /** `Tool "forecast"`, `Server "kit", entry 2 of "tools",` */
  readonly what: string;
  readonly location: Location;
  /** The file of the package that is run. */
  readonly file?: string;
  readonly fault?: UpstreamFault;
  /** The keys with plain text that looks like a secret. */
  readonly secrets: readonly { readonly label: string; readonly location: Location }[];
  /**
   * The list entry that takes tools from the server, if it is valid. `locate` takes paths relative to the
   * entry.
   */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly locate: (path: DocumentPath) => Location;
}

interface UpstreamFault {
  readonly kind: EndpointError['fault'];
  readonly message: string;
  readonly location: Location;
}

/** The upstream servers with a literal endpoint in a definition. */
export async function gatherUpstreams(definition: Definition): Promise<readonly UpstreamSnapshot[]> {
  const found = [...declaredEndpoints(definition)].map(async ({ path: at, place, entry }) => {
    const isPlain = isRecord(place) && !isFunctionLike(place);
    const isRight =
      isPlain && ![...checkShape(place, toolUpstreamShape), ...checkEndpoint(place)].some(isSerious);
    const above = at.slice(0, -1);
    const isMeant = entry && [...checkUpstreamEntry(entry)].length === 0;
    const secrets = isRight ? findLiteralSecrets(place) : [];
    const fault = isRight ? await endpointFault(place, at, definition) : undefined;
    const file = isRight && !fault ? findUpstreamScript(place) : undefined;
    return {
      what: entry
        ? `${definitionLabel(definition)}, ${entryLabel(undefined, above)},`
        : definitionLabel(definition),
      location: locate(definition, at),
      ...(file !== undefined && { file }),
      ...(fault && { fault }),
      secrets: secrets.map((one) => ({
        label: [...at.slice(entry ? 2 : 0), ...one].join('.'),
        location: locate(definition, [...at, ...one]),
      })),
      ...(isMeant && { entry }),
      locate: (path: DocumentPath) => locate(definition, [...above, ...path]),
    };
  });
  return await Promise.all(found);
}

async function endpointFault(
  place: Readonly<Record<string, unknown>>,
  at: DocumentPath,
  definition: Definition,
): Promise<UpstreamFault | undefined> {
  try {
    await requirePlace(place, endpointScope(definition.extension));
    return undefined;
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    const message = `The server ${endpointName(place)} ${error.message}`;
    return { kind: error.fault, message, location: locate(definition, [...at, ...parseKeyPath(error.key)]) };
  }
}

/** `args.0` → `args`, `0` */
function parseKeyPath(key: string): DocumentPath {
  const [first = key, ...rest] = key.split('.');
  return first === 'args' ? [first, ...rest.map(Number)] : [first, ...rest];
}

/** The file of the package that is run. As a module, it also needs its imports. */
function findUpstreamScript(place: Readonly<Record<string, unknown>>): string | undefined {
  const { command } = place;
  const script = findPackageScript(place)?.file;
  const own = script !== undefined && !path.isAbsolute(script) ? script : command;
  const isOwn = typeof own === 'string' && (own === script || /^\.[\\/]/.test(own));
  return isOwn ? path.posix.normalize(own.replaceAll('\\', '/')) : undefined;
}
