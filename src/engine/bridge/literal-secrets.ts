import { findLiteralSecrets } from '../extension/upstream-secrets.js';

type Endpoint = Readonly<Record<string, unknown>>;

/** `API_KEY` for `--api-key` and `Api-Key`. */
export function upperName(name: string): string {
  return name.replace(/^-+/, '').toUpperCase().replace(/\W/g, '_').replace(/^\d/, '_$&');
}

/**
 * Replaces literal secrets of an endpoint by variables. The word before a token of a header, and the flag of an argument,
 * stay. `server` names variables that have no other name. `refer` returns the reference to a variable with a value.
 */
export function withoutSecrets(
  endpoint: Endpoint,
  server: string,
  refer: (variable: string, value: string) => string,
): Endpoint {
  const changed = structuredClone(endpoint) as Record<string, Record<string | number, string>>;
  const token = `${upperName(server)}_TOKEN`;
  for (const [key, name] of findLiteralSecrets(endpoint)) {
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
