import { isRecord, isString } from '../base/value-checks.js';
import { findLiteralSecrets } from '../extension/upstream-secrets.js';

type Endpoint = Readonly<Record<string, unknown>>;

/** `API_KEY` for `--api-key` and `Api-Key`. */
export function upperName(name: string): string {
  return name.replace(/^-+/, '').toUpperCase().replace(/\W/g, '_').replace(/^\d/, '_$&');
}

/**
 * Replaces literal secrets of an endpoint by variables. The word before a token of a header, and the flag of an argument,
 * stay. `server` names variables that have no other name. `refer` returns the reference to a variable with a value. In a
 * definition that is published, `isPublished`, every value of `env` and `headers` that may be a secret counts as one.
 */
export function withoutSecrets(
  endpoint: Endpoint,
  server: string,
  refer: (variable: string, value: string) => string,
  isPublished = false,
): Endpoint {
  const changed = structuredClone(endpoint) as Record<string, Record<string | number, string>>;
  const token = `${upperName(server)}_TOKEN`;
  const doubtful = isPublished ? findDoubtfulValues(endpoint) : [];
  const places = [...findLiteralSecrets(endpoint), ...doubtful];
  for (const [key, name] of new Map(places.map((place) => [JSON.stringify(place), place])).values()) {
    if (key === 'url') {
      Object.assign(changed, { url: refer(`${upperName(server)}_URL`, String(endpoint.url)) });
      continue;
    }
    const held = changed[String(key)]!;
    const text = held[name!]!;
    if (key === 'env') held[name!] = refer(String(name), text);
    else if (key === 'headers') {
      const [scheme = ''] = /^(?:Basic|Bearer|Token)\s+/i.exec(text) ?? [];
      const variable = /^authorization$/i.test(String(name)) ? token : upperName(String(name));
      held[name!] = scheme + refer(variable, text.slice(scheme.length));
    } else {
      const [flag = ''] = /^--?[\w-]+=/.exec(text) ?? [];
      const before = held[Number(name) - 1] ?? '';
      const named = flag === '' && /^--?[\w-]+$/.test(before) ? before : flag.slice(0, -1);
      held[name!] = flag + refer(named === '' ? token : upperName(named), text.slice(flag.length));
    }
  }
  return changed;
}

/** Words, numbers, switches, paths and addresses. Any other text may be a password. */
const harmless =
  /^(?:[a-z]{0,12}|[A-Z]{0,12}|[\d.,:]{0,12}|(?:~|\.{0,2})[/\\].*|[A-Za-z]:[/\\].*|[a-z][a-z\d+.-]*:\/\/.*)$/s;

/** Values with variables are complete: nothing in them is replaced again. */
function findDoubtfulValues(endpoint: Endpoint): readonly (readonly string[])[] {
  return ['env', 'headers'].flatMap((key) => {
    const values = endpoint[key];
    if (!isRecord(values)) return [];
    const doubtful = Object.entries(values).filter(
      ([, value]) => isString(value) && !value.includes('${') && !harmless.test(value),
    );
    return doubtful.map(([name]) => [key, name]);
  });
}
