import { type Envelope, malformedResponse } from './envelope.js';

/** Deepest nesting of a message. Deeper ones would overflow the stack of recursive code. */
const maxMessageDepth = 500;

const tooDeep = `it is nested deeper than ${maxMessageDepth} levels`;

/** Reduces a message that is nested too deep to its id and the fault. */
export function withoutDepths(envelope: Envelope): Envelope {
  if (envelope.kind === 'invalid') return { ...envelope, problem: tooDeep };
  if (envelope.kind === 'response') return { ...envelope, outcome: { error: malformedResponse } };
  return { kind: 'invalid', id: envelope.kind === 'request' ? envelope.id : undefined, problem: tooDeep };
}

/** True if JSON text is nested too deep. */
export function isTooDeep(json: string): boolean {
  // Each level has two brackets, so most texts are too short.
  if (json.length <= 2 * maxMessageDepth) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '[' || character === '{') depth += 1;
    if (depth > maxMessageDepth) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

/** Backslashes also escape each other. */
function isEscaped(json: string, index: number): boolean {
  let before = index;
  while (json[before - 1] === '\\') before -= 1;
  return (index - before) % 2 === 1;
}
