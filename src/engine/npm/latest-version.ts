import { isRecord, isString } from '../base/value-checks.js';
import { getJson, type RegistryRequest } from './registry.js';
import { registryOf } from './signatures.js';

/** The version of the tag `latest` of a package; undefined if the registry names none. @throws RegistryError */
export async function latestVersion(
  name: string,
  request: Omit<RegistryRequest, 'registry' | 'query'>,
): Promise<string | undefined> {
  const registry = registryOf(name, request.settings);
  const published = await getJson(`/${name.replace('/', '%2f')}/latest`, { ...request, registry });
  return isRecord(published) && isString(published.version) ? published.version : undefined;
}
