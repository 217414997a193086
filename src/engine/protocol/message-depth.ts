import { type Envelope, malformedResponse } from './envelope.js';

/** How deep a message may be nested. Whatever looks into deeper ones calls itself once per level, and stacks have an end. */
const maxMessageDepth = 500;

const tooDeep = `it is nested deeper than ${maxMessageDepth} levels`;

/** What is left of a message that is nested too deep: who is to be answered, or whom it answers. */
export function withoutDepths(envelope: Envelope): Envelope {
  if (envelope.kind === 'invalid') return { ...envelope, problem: tooDeep };
  if (envelope.kind === 'response') return { ...envelope, outcome: { error: malformedResponse } };
  return { kind: 'invalid', id: envelope.kind === 'request' ? envelope.id : undefined, problem: tooDeep };
}

/** Whether JSON text is nested too deep to be looked into. */
export function isTooDeep(json: string): boolean {
  // Each level opens and closes, so most texts are too short for it.
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

/** Backslashes escape each other, too. */
function isEscaped(json: string, index: number): boolean {
  let before = index;
  while (json[before - 1] === '\\') before -= 1;
  return (index - before) % 2 === 1;
}
