import { AgentToolsError } from '../../engine/base/errors.js';
import { errorMessage } from '../../engine/base/thrown-value.js';
import { isRecord } from '../../engine/base/value-checks.js';

/**
 * Parses the tool arguments of a command line.
 * @throws AgentToolsError `usage` if the text is not a JSON object.
 */
export function parseJsonArguments(text: string): Readonly<Record<string, unknown>> {
  const value = parseJsonArgument(text.replace(/^\uFEFF/, ''));
  if (isRecord(value)) return value;
  throw new AgentToolsError('usage', `The arguments of a tool are a JSON object such as '{"place":"Bonn"}'.`);
}

function parseJsonArgument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = text.trim() === '' ? 'they are empty' : errorMessage(error);
    throw new AgentToolsError('usage', `The arguments are not valid JSON: ${reason}`);
  }
}
