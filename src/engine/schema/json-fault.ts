/** Position and kind of a JSON syntax error. */
export interface JsonFault {
  /** The problem, as the end of a sentence. */
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
}

/**
 * Finds the first syntax error of a text that `JSON.parse` rejected. The messages of JavaScript engines
 * differ, and not all include the position.
 * @see RFC 8259
 */
export function findJsonFault(text: string): JsonFault {
  const { message, offset } = scan(text);
  const before = text.slice(0, offset).split('\n');
  return { message, line: before.length, column: before.at(-1)!.length + 1 };
}

const blankPattern = /[ \t\n\r]*/y;
const scalar =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b/y;

/** Token that the grammar allows next. */
type ExpectedToken = 'value' | 'first item' | 'first name' | 'name' | 'colon' | 'comma' | 'end';

const expectedMessages: Readonly<Record<ExpectedToken, string>> = {
  value: 'a value is expected here (a trailing comma before it?).',
  'first item': 'a value or a closing bracket is expected here.',
  'first name': 'a property name in double quotes is expected here.',
  name: 'a property name in double quotes is expected here (a trailing comma before it?).',
  colon: 'a colon is expected here.',
  comma: 'a comma or a closing bracket is expected here.',
  end: 'something follows the end of the value.',
};

function scan(text: string): { readonly message: string; readonly offset: number } {
  const open: ('{' | '[')[] = [];
  let wanted: ExpectedToken = 'value';
  let offset = 0;
  const taken = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    offset += taken(blankPattern)!.length;
    const next = text[offset];
    if (next === undefined) break;
    const step = stepFrom(wanted, next, open);
    if (step) {
      wanted = step;
      offset++;
      continue;
    }
    const isName: boolean = wanted === 'name' || wanted === 'first name';
    const value = isName && next !== '"' ? undefined : taken(scalar);
    if (value === undefined || !(isName || wanted === 'value' || wanted === 'first item')) {
      return { message: faultAt(next, wanted), offset };
    }
    offset += value.length;
    wanted = isName ? 'colon' : afterValue(open);
  }
  if (text.trim() === '') return { message: 'it is empty.', offset: 0 };
  return { message: 'the text ends too early.', offset: text.length };
}

/**
 * Returns the token expected after a bracket, colon or comma; undefined if that character is not allowed.
 * Updates `open`.
 */
function stepFrom(wanted: ExpectedToken, next: string, open: ('{' | '[')[]): ExpectedToken | undefined {
  const isValue = wanted === 'value' || wanted === 'first item';
  if (isValue && (next === '{' || next === '[')) {
    open.push(next);
    return next === '{' ? 'first name' : 'first item';
  }
  if (wanted === 'colon' && next === ':') return 'value';
  if (wanted === 'comma' && next === ',') return open.at(-1) === '{' ? 'name' : 'value';
  const closes = next === '}' ? '{' : next === ']' ? '[' : undefined;
  const mayClose = wanted === 'comma' || wanted === (next === '}' ? 'first name' : 'first item');
  if (closes === undefined || !mayClose || open.at(-1) !== closes) return undefined;
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): ExpectedToken {
  return open.length > 0 ? 'comma' : 'end';
}

function faultAt(next: string, wanted: ExpectedToken): string {
  const isString = next === '"' && wanted !== 'colon' && wanted !== 'comma' && wanted !== 'end';
  return isString ? 'a string does not end, or holds what it has to escape.' : expectedMessages[wanted];
}
