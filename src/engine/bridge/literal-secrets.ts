import { findLiteralSecrets } from '../extension/upstream-secrets.js';

type Endpoint = Readonly<Record<string, unknown>>;

/** `API_KEY` for `--api-key` and `Api-Key`. */
export function upperName(name: string): string {
  return name.replace(/^-+/, '').toUpperCase().replace(/\W/g, '_').replace(/^\d/, '_$&');
}

/**
 * Replaces literal secrets of an endpoint by variables. The word before a token of a header, and the flag of an argument,
 * stay. `server` names variables that have no other name, and `refer` returns the reference to a variable.
 */
export function withoutSecrets(
  endpoint: Endpoint,
  server: string,
  refer: (variable: string) => string,
): Endpoint {
  const changed = structuredClone(endpoint) as Record<string, Record<string | number, string>>;
  const token = `${upperName(server)}_TOKEN`;
  for (const [key, name] of findLiteralSecrets(endpoint)) {
    if (key === 'url') {
      Object.assign(changed, { url: refer(`${upperName(server)}_URL`) });
      continue;
    }
    const held = changed[String(key)]!;
    const text = held[name!]!;
    if (key === 'env') held[name!] = refer(String(name));
    else if (key === 'headers') {
      const [scheme = ''] = /^(?:Basic|Bearer|Token)\s+/i.exec(text) ?? [];
      held[name!] = scheme + refer(/^authorization$/i.test(String(name)) ? token : upperName(String(name)));
    } else {
      const [, flag] = /^(--?[\w-]+=)/.exec(text) ?? [];
      const before = held[Number(name) - 1] ?? '';
      const isValue = /^--?[\w-]+$/.test(before);
      held[name!] =
        (flag ?? '') + refer(flag ? upperName(flag.slice(0, -1)) : isValue ? upperName(before) : token);
    }
  }
  return changed;
}
