import { parseUrl } from '../base/parse-url.js';

/** The part of a server's refusal that describes the sign-in. */
export interface Challenge {
  readonly status: 401 | 403;
  /** Scope that the request needs, separated by spaces. */
  readonly scope?: string;
  /** Address of the protected resource metadata. */
  readonly resourceMetadataUrl?: string;
  /** True if the account is right, but its scope is too small. */
  readonly isScopeTooSmall: boolean;
}

/** Schemes of challenges that lead to a sign-in. */
const schemes: readonly string[] = ['bearer', 'dpop'];

/**
 * Reads the challenge of a response; undefined if the server does not refuse the request. The SDK reads only the first
 * scheme of the header.
 * @see RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728, section 5.1
 */
export function readChallenge({ status, headers }: Response): Challenge | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const found = parseChallenges(headers.get('www-authenticate') ?? '').find(({ scheme }) =>
    schemes.includes(scheme),
  );
  const parameters = found?.parameters ?? new Map<string, string>();
  const scope = parameters.get('scope');
  const url = parseUrl(parameters.get('resource_metadata') ?? '');
  return {
    status,
    ...(scope && { scope }),
    ...(url && { resourceMetadataUrl: url.href }),
    isScopeTooSmall: status === 403 && parameters.get('error') === 'insufficient_scope',
  };
}

interface ParsedChallenge {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** A parameter, or the scheme of the next challenge. */
const part = new RegExp(`\\s*(${token})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))|(?=\\s|,|$))`, 'y');

function parseChallenges(header: string): readonly ParsedChallenge[] {
  const challenges: ParsedChallenge[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < header.length) {
    const start = part.lastIndex;
    const [, name, quoted, plain] = part.exec(header) ?? [];
    if (name === undefined) {
      // Text of other schemes, such as a token: go on behind it.
      part.lastIndex = start + 1;
      continue;
    }
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else {
      const parameters = challenges.at(-1)?.parameters;
      if (parameters && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
    }
  }
  return challenges;
}

/** The scopes of several texts, each once. Undefined without any. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(/\s+/).filter(Boolean) ?? []));
  return words.size === 0 ? undefined : [...words].join(' ');
}

/** True if all scopes of the first text are in the second. */
export function coversScope(asked: string | undefined, granted: string | undefined): boolean {
  const words = new Set(granted?.split(/\s+/));
  return (joinScopes(asked)?.split(' ') ?? []).every((word) => words.has(word));
}
