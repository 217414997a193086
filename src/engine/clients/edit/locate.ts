import type { ConfigFormat } from '../client.js';
import type { ConfigPath } from './editor.js';
import type { JsonNode } from './json-source.js';

const bom = '\uFEFF';

/** Returns the offset of the deepest value on a path that exists, from its key; undefined for a malformed text. */
export type LocateValue = (path: ConfigPath) => number | undefined;

/** Parses a text once, to locate its values. */
export async function createLocator(text: string, format: ConfigFormat): Promise<LocateValue> {
  const start = text.startsWith(bom) ? bom.length : 0;
  // A text that its parser rejects has no places.
  const find = await parsers[format](text.slice(start)).catch(() => undefined);
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const offset = find?.(path.slice(0, length));
      if (offset !== undefined) return offset + start;
    }
    return undefined;
  };
}

const parsers: Readonly<Record<ConfigFormat, (text: string) => Promise<LocateValue>>> = {
  json: parseJson,
  jsonc: parseJson,
  async toml(text) {
    const { findTomlParts, readToml } = await import('./toml-source.js');
    const source = readToml(text);
    return (path) => findTomlParts(source, path)[0]?.start;
  },
  async yaml(text) {
    const { memberAt, readYaml } = await import('./yaml-source.js');
    const { root } = readYaml(text);
    return (path) => {
      const member = memberAt(root, path);
      const node = member && 'key' in member ? member.key : member;
      return (node as { readonly range?: readonly number[] | null } | undefined)?.range?.[0];
    };
  },
};

async function parseJson(text: string): Promise<LocateValue> {
  const { readJson } = await import('./json-source.js');
  const { root } = readJson(text);
  const members = new Map<JsonNode, ReadonlyMap<string | number, JsonNode>>();
  const membersOf = (node: JsonNode) => {
    const known = members.get(node) ?? readMembers(node);
    members.set(node, known);
    return known;
  };
  return (path) => {
    let node = root;
    for (const step of path) node = node && membersOf(node).get(step);
    return node?.parent?.type === 'property' ? node.parent.offset : node?.offset;
  };
}

/** Values by key or index. Of equal keys, the last counts, as in `JSON.parse`. */
function readMembers({ type, children }: JsonNode): ReadonlyMap<string | number, JsonNode> {
  if (type === 'object') return new Map(children.map((property) => [property.key, property.children[1]!]));
  return new Map(children.map((child, index) => [index, child]));
}
