import type { DevState, ListedTool } from '../engine/preview/page-messages.js';

export type ItemKind = 'tools' | 'prompts' | 'resources';

/** An item of the server with a form for its arguments. */
export interface Item {
  readonly kind: ItemKind;
  /** Unique within its kind. */
  readonly id: string;
  readonly label: string;
  readonly description: string | undefined;
  /** Schema of the arguments. */
  readonly schema: unknown;
  /** The request that uses the item. */
  request(args: Readonly<Record<string, unknown>>): {
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  };
}

/** The items of one kind. */
export function listItems(
  kind: ItemKind,
  tools: readonly ListedTool[],
  { prompts, resources }: Pick<DevState, 'prompts' | 'resources'>,
): readonly Item[] {
  switch (kind) {
    case 'tools':
      return tools.map(({ name, title, description, inputSchema }) => ({
        kind,
        id: name,
        label: label(name, title),
        description,
        schema: inputSchema,
        request: (args) => ({ method: 'tools/call', params: { name, arguments: args } }),
      }));
    case 'prompts':
      return prompts.map(({ name, title, description, arguments: declared = [] }) => ({
        kind,
        id: name,
        label: label(name, title),
        description,
        schema: {
          properties: Object.fromEntries(
            declared.map((one) => [one.name, { type: 'string', description: one.description }]),
          ),
          required: declared.flatMap((one) => (one.required ? [one.name] : [])),
        },
        request: (args) => ({ method: 'prompts/get', params: { name, arguments: args } }),
      }));
    case 'resources':
      return resources.map(({ uri, uriTemplate = '', name, title, description }) => ({
        kind,
        id: uri ?? uriTemplate,
        label: label(uri ?? uriTemplate, title ?? name),
        description,
        schema: {
          properties: Object.fromEntries(
            uri === undefined
              ? variablesOf(uriTemplate).map((variable) => [variable, { type: 'string' }])
              : [],
          ),
        },
        request: (args) => ({ method: 'resources/read', params: { uri: uri ?? expand(uriTemplate, args) } }),
      }));
  }
}

function label(id: string, title: string | undefined): string {
  return title !== undefined && title !== id ? `${title} (${id})` : id;
}

const expression = /\{([+#./;?&]?)([^{}]+)\}/g;

function variablesOf(template: string): readonly string[] {
  return [...template.matchAll(expression)].flatMap(([, , names]) => names!.split(',').map(plainName));
}

/** Expands a URI template. @see RFC 6570, levels 1 to 3 */
export function expand(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(expression, (_, operator: string, names: string) => {
    const given = names
      .split(',')
      .map(plainName)
      .filter((name) => values[name] !== undefined && values[name] !== '');
    if (given.length === 0) return '';
    const isNamed = [';', '?', '&'].includes(operator);
    const encode = ['+', '#'].includes(operator) ? encodeURI : encodeURIComponent;
    const parts = given.map((name) => `${isNamed ? `${name}=` : ''}${encode(String(values[name]))}`);
    const separator =
      operator === '?' ? '&' : operator === '' || operator === '+' || operator === '#' ? ',' : operator;
    return `${operator === '+' ? '' : operator}${parts.join(separator)}`;
  });
}

/** Without the modifiers of RFC 6570. */
function plainName(name: string): string {
  return name.replace(/(?:\*|:\d+)$/, '');
}
