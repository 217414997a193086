import { didYouMean } from '../../../engine/base/did-you-mean.js';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { isRecord } from '../../../engine/base/value-checks.js';

/** Keywords that can allow properties which `properties` does not list. */
const openings = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'if'];

/**
 * Compares the names of arguments with the input schema of a tool. Returns a warning about unknown names, if the tool accepts
 * them; undefined without any.
 * @throws AgentToolsError for a name that the tool refuses, or that only looks like a misspelled one
 */
export function checkArgumentNames(
  args: Readonly<Record<string, unknown>>,
  { tool, inputSchema }: { readonly tool: string; readonly inputSchema: unknown },
): string | undefined {
  if (!isRecord(inputSchema) || openings.some((key) => key in inputSchema)) return undefined;
  const { properties, additionalProperties: others } = inputSchema;
  const known = isRecord(properties) ? Object.keys(properties) : [];
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const own = known.length === 0 ? 'It has no arguments.' : `Its arguments: ${known.join(', ')}.`;
  for (const name of unknown) {
    const meant = didYouMean(
      name,
      known.filter((one) => !(one in args)),
    );
    if (others !== false && (meant === undefined || others !== undefined)) continue;
    const hint = meant === undefined ? own : `Did you mean "${meant}"? ${own}`;
    throw new AgentToolsError('not-found', `Tool "${tool}" has no argument "${name}". ${hint}`);
  }
  const names = unknown.map((name) => `"${name}"`).join(', ');
  return `warning: Tool "${tool}" declares no argument ${names}. ${own}`;
}
