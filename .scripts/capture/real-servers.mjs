// Tools of five real servers that some clients lose or damage, from their recordings, by the keys of the servers in configs.
import { readFileSync } from 'node:fs';

const recordings = new URL('../../test/recorded-servers/', import.meta.url);
const names = ['brave-search', 'desktop-commander', 'hubspot', 'mongodb', 'notion'];

export const realServers = Object.fromEntries(names.map((name) => [name, { tools: toolsOf(name) }]));

function toolsOf(name) {
  const { exchanges } = JSON.parse(readFileSync(new URL(`${name}.json`, recordings), 'utf8'));
  return exchanges.find(({ method }) => method === 'tools/list').result.tools;
}
