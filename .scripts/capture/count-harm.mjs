// Counts the tools of servers that a request to a model lacks or has in a damaged form: with fewer parameters, or with fewer
// descriptions of parameters.
import { isMarked, toolsOf } from './reduce-capture.mjs';

/** Names of lost and damaged tools, by the keys of the servers. `text`: the body of the request. */
export function countHarm(text, nameOf, servers) {
  const shown = toolsOf(JSON.parse(text));
  return Object.fromEntries(
    Object.entries(servers).map(([key, { tools }]) => {
      const found = tools
        .filter((tool) => !isForApps(tool))
        .map((tool) => [tool, findShown(shown, tool, nameOf(key, tool.name))]);
      const lost = found.filter(([, seen]) => !seen);
      const damaged = found.filter(([tool, seen]) => seen && isDamaged(tool.inputSchema, seen.schema));
      return [key, { tools: found.length, lost: namesOf(lost), damaged: namesOf(damaged) }];
    }),
  );
}

/** A tool by its probe, or by its name, in which clients replace characters. */
function findShown(shown, { description }, name) {
  const probe = description?.match(/^\[[a-z0-9-]+\] A probe\./)?.[0];
  if (probe) return shown.find((one) => one.description?.includes(probe));
  return (
    shown.find((one) => one.name === name && !isMarked(one.description)) ??
    shown.find((one) => wordsOf(one.name) === wordsOf(name) && !isMarked(one.description))
  );
}

function wordsOf(name) {
  return name.replaceAll(/[^A-Za-z0-9]/g, '_');
}

function namesOf(found) {
  return found.map(([{ name }]) => name);
}

/** Clients without UI do not offer such tools to the model. */
function isForApps({ _meta: meta }) {
  return meta?.ui?.visibility?.includes('model') === false;
}

function isDamaged(before, after) {
  const count = (schema) => Object.keys(schema?.properties ?? {}).length;
  return count(after) < count(before) || descriptionsIn(after) < descriptionsIn(before);
}

/** Keywords with parts that are no parameters. Definitions count where references lead to them. */
const apart = ['$defs', 'definitions', 'propertyNames'];

/** Number of described parts. Each definition counts once. */
function descriptionsIn(schema, root = schema, seen = new Set()) {
  if (typeof schema !== 'object' || schema === null) return 0;
  const own = typeof schema.description === 'string' ? 1 : 0;
  const parts = Object.entries(schema).flatMap(([key, part]) => (apart.includes(key) ? [] : [part]));
  const { $ref: reference } = schema;
  if (typeof reference === 'string' && !seen.has(reference)) {
    seen.add(reference);
    parts.push(referenced(reference, root));
  }
  return parts.reduce((sum, part) => sum + descriptionsIn(part, root, seen), own);
}

function referenced(reference, root) {
  return reference.startsWith('#/')
    ? reference
        .slice(2)
        .split('/')
        .reduce((part, key) => part?.[key], root)
    : undefined;
}
