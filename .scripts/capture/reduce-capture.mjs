// Reduces a request to a model to the differences between the tools of the probe servers and the tools in the request.
import { isDeepStrictEqual } from 'node:util';
import { probeServers } from './probe-tools.mjs';

/** Longest value in a change. */
const longestValue = 100;

/** Lost tools, other names and other parts, by the ids of probes. `text`: the body of the request. */
export function reduceCapture(text, nameOf) {
  const shown = toolsOf(JSON.parse(text));
  const lost = [];
  const names = {};
  const changes = {};
  for (const [key, { tools }] of Object.entries(probeServers))
    for (const tool of tools) {
      const id = idOf(tool);
      const expected = nameOf(key, tool.name);
      const found = shown.find(
        (one) =>
          one.description?.includes(`[${id}] A probe.`) ||
          (one.name === expected && !isMarked(one.description)),
      );
      if (!found) {
        lost.push(id);
        continue;
      }
      if (found.name !== expected) names[id] = found.name;
      changes[id] = [
        ...changesOf('description', tool.description, found.description),
        ...changesOf('schema', tool.inputSchema, found.schema),
      ];
    }
  const marks = [...text.matchAll(/\[mark (\d+)\]/g)].map(([, mark]) => Number(mark));
  const usual = usualChanges(Object.values(changes));
  const changed = Object.entries(changes)
    .map(([id, all]) => [id, all.filter((one) => !usual.includes(one))])
    .filter(([, all]) => all.length > 0);
  return {
    instructionsKept: Math.max(0, ...marks),
    lost,
    names,
    usual,
    changed: Object.fromEntries(changed),
  };
}

/** True if a description names a probe. */
export function isMarked(description) {
  return /\[[a-z0-9-]+\] A probe\./.test(description ?? '');
}

/** Id of the probe of a tool. */
function idOf({ name, description }) {
  return description?.match(/^\[([^\]]+)\]/)?.[1] ?? name.replaceAll('_', '-');
}

/** The tools of a request in any dialect. */
export function toolsOf({ tools = [] }) {
  return tools.flatMap((tool) => {
    if (tool.functionDeclarations) return tool.functionDeclarations.map(describe);
    if (tool.type === 'namespace')
      return tool.tools.map((one) => ({ ...describe(one), name: `${tool.name}/${one.name}` }));
    return [describe(tool.function ?? tool)];
  });
}

const describe = ({ name, description, input_schema, parametersJsonSchema, parameters }) => ({
  name,
  description,
  schema: input_schema ?? parametersJsonSchema ?? parameters,
});

/** Changes of more than half of the tools. */
function usualChanges(all) {
  return [...new Set(all.flat())].filter(
    (change) => all.filter((one) => one.includes(change)).length > all.length / 2,
  );
}

function changesOf(path, before, after) {
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      changesOf(`${path}.${key.length > 40 ? `${key.slice(0, 10)}…` : key}`, before[key], after[key]),
    );
  if (isDeepStrictEqual(before, after)) return [];
  if (after === undefined) return [`- ${path}`];
  return [
    before === undefined ? `+ ${path}: ${short(after)}` : `${path}: ${short(before)} → ${short(after)}`,
  ];
}

function short(value) {
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}… (${text.length} characters)` : text;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
