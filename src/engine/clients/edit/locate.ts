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
    const { readToml, startsOfParts } = await import('./toml-source.js');
    const starts = startsOfParts(readToml(text));
    return (path) => starts.get(JSON.stringify(path));
  },
  async yaml(text) {
    const { default: yaml } = await import('yaml');
    const { isMap, isPair, isScalar, isSeq } = yaml;
    const { readYaml, yamlOffset } = await import('./yaml-source.js');
    const { root } = readYaml(text);
    const membersOf = remember((node: unknown): ReadonlyMap<unknown, unknown> => {
      if (isSeq(node)) return new Map(node.items.entries());
      if (!isMap(node)) return new Map();
      return new Map(node.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair, pair]));
    });
    return (path) => {
      let member: unknown = root;
      for (const step of path) member = membersOf(isPair(member) ? member.value : member).get(step);
      return yamlOffset(member);
    };
  },
};

async function parseJson(text: string): Promise<LocateValue> {
  const { readJson } = await import('./json-source.js');
  const { root } = readJson(text);
  const membersOf = remember(readMembers);
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

/** Keeps the result for each node: a path is looked up for each entry of a file. */
function remember<Node, Result>(read: (node: Node) => Result): (node: Node) => Result {
  const results = new Map<Node, Result>();
  return (node) => {
    const known = results.get(node) ?? read(node);
    results.set(node, known);
    return known;
  };
}
