import type Config from '@npmcli/config';
import type { OutgoingSettings } from './npm-dependencies.js';

/** Proxies see all requests. Settings of certificates allow another program to pose as a registry. */
const routeKey = /^(?:(?:https?-)?proxy|noproxy|strict-ssl|ca|cafile)$/;

const variable = /\$\{([^${}?]+)\??\}/g;

/** Finds the outgoing settings of the project of a loaded configuration. */
export function findOutgoingSettings(config: Config): OutgoingSettings | undefined {
  const { data = {}, raw = {}, source: file } = config.data.get('project') ?? {};
  if (!file) return undefined;
  const written = Object.entries(raw).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const settings = Object.keys(data).flatMap((key) => {
    // A key with variables has another name in the file.
    const lines = Object.hasOwn(raw, key) ? [`${key}=${JSON.stringify(raw[key])}`] : written;
    const names = lines.flatMap((line) => [...line.matchAll(variable)].map(([, name]) => name!));
    if (names.length === 0 && !routeKey.test(key)) return [];
    return [{ key, variables: [...new Set(names)], host: hostIn(key, data[key]) }];
  });
  return settings.length > 0 ? { file, settings } : undefined;
}

/** Settings by which a project would choose the settings of the user, or of the machine. */
const redirections = ['userconfig', 'globalconfig', 'prefix'] as const;

/** True if the project names other files for the settings of the user. */
export function redirectsSettings(config: Config): boolean {
  const { data = {} } = config.data.get('project') ?? {};
  return redirections.some((key) => Object.hasOwn(data, key));
}

/** The host of `//host/:_authToken`, or of a URL. */
function hostIn(key: string, value: unknown): string | undefined {
  const [, place] = /^(\/\/[^:]*(?::\d+[^:]*)?):[^:]*$/.exec(key) ?? [];
  const [first] = [value].flat();
  // A section of the file is an object.
  const text = typeof first === 'string' ? first : '';
  return hostOf(place === undefined ? text : `https:${place}`);
}

function hostOf(text: string): string | undefined {
  return /^(?:https?|socks\w*):\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(text)?.[1];
}
