import type { ConfigFormat } from '../client.js';
import type { ConfigPath } from './editor.js';

const bom = '\uFEFF';

/** Offset of the deepest value on a path that exists, from its key; undefined for a malformed text. */
export async function locateInText(
  text: string,
  format: ConfigFormat,
  path: ConfigPath,
): Promise<number | undefined> {
  const start = text.startsWith(bom) ? bom.length : 0;
  const find = await finders[format]().catch(() => undefined);
  const body = text.slice(start);
  for (let length = path.length; length > 0; length--) {
    const offset = find?.(body, path.slice(0, length));
    if (offset !== undefined) return offset + start;
  }
  return undefined;
}

type Find = (text: string, path: ConfigPath) => number | undefined;

/** Loaders, since each needs its parser. */
const finders: Readonly<Record<ConfigFormat, () => Promise<Find>>> = {
  json: findInJson,
  jsonc: findInJson,
  async toml() {
    const { findTomlParts, readToml } = await import('./toml-source.js');
    return lenient((text, path) => findTomlParts(readToml(text), path)[0]?.start);
  },
  async yaml() {
    const { memberAt, readYaml } = await import('./yaml-source.js');
    return lenient((text, path) => {
      const found = memberAt(readYaml(text).root, path) as
        | { readonly key?: unknown; readonly range?: readonly number[] }
        | undefined;
      const node = (found?.key ?? found) as typeof found;
      return node?.range?.[0];
    });
  },
};

async function findInJson(): Promise<Find> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  return (text, path) => {
    const tree = parseTree(text, [], { allowTrailingComma: true });
    const node = tree && findNodeAtLocation(tree, [...path]);
    return node?.parent?.type === 'property' ? node.parent.offset : node?.offset;
  };
}

/** A text that its parser rejects has no places. */
function lenient(find: Find): Find {
  return (text, path) => {
    try {
      return find(text, path);
    } catch {
      return undefined;
    }
  };
}
