import { readFile } from 'node:fs/promises';
import type Config from '@npmcli/config';
import type { OutgoingSettings } from './npm-dependencies.js';

/** Proxies see all requests. Settings of certificates allow another program to pose as a registry. */
const routeKey = /^(?:(?:https?-)?proxy|noproxy|strict-ssl|ca|cafile)$/;

const variable = /\$\{([^${}?]+)\??\}/g;

/**
 * Finds the outgoing settings of the project of a loaded configuration. `loadPlain` loads it without the variables of
 * the environment.
 */
export async function findOutgoingSettings(
  config: Config,
  loadPlain: () => Promise<Config>,
): Promise<OutgoingSettings | undefined> {
  const { data = {}, source: file } = config.data.get('project') ?? {};
  const keys = Object.keys(data);
  if (keys.length === 0 || !file) return undefined;
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.includes('${'));
  const plain = lines.length > 0 ? ((await loadPlain()).data.get('project')?.data ?? {}) : data;
  const isFilled = (key: string) => JSON.stringify(data[key]) !== JSON.stringify(plain[key]);
  const settings = keys
    .filter((key) => routeKey.test(key) || isFilled(key))
    .map((key) => {
      const mentions = lines.filter((line) => line.trimStart().startsWith(key));
      const names = (mentions.length > 0 ? mentions : lines).flatMap((line) =>
        [...line.matchAll(variable)].map(([, name]) => name!),
      );
      return { key, variables: isFilled(key) ? [...new Set(names)] : [], host: hostIn(key, data[key]) };
    });
  return settings.length > 0 ? { file, settings } : undefined;
}

/** The host of `//host/:_authToken`, or of a URL. */
function hostIn(key: string, value: unknown): string | undefined {
  const [, place] = /^(\/\/[^:]*(?::\d+[^:]*)?):[^:]*$/.exec(key) ?? [];
  const [first] = [value].flat();
  return hostOf(place === undefined ? String(first) : `https:${place}`);
}

function hostOf(text: string): string | undefined {
  return /^(?:https?|socks\w*):\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(text)?.[1];
}
