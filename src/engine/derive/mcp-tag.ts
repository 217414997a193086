import { didYouMean } from '../base/did-you-mean.js';
import type { DocFacts, SourcePosition } from './type-source.js';

/** Settings of a tool in the tags of its function. */
export interface ToolTags {
  /** True if the function has an `@mcp` tag, which makes it a tool without a definition. */
  readonly isMarked: boolean;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly hidden?: boolean;
  readonly annotations?: Readonly<Record<string, boolean>>;
  readonly faults: readonly { readonly message: string; readonly position: SourcePosition }[];
}

type TagSetting = 'name' | 'title' | 'description' | 'category' | 'hidden' | 'visible' | keyof typeof hints;

/** Hints for clients, by the tag or key that sets them. @see MCP, ToolAnnotations */
const hints = {
  readonly: 'readOnlyHint',
  destructive: 'destructiveHint',
  idempotent: 'idempotentHint',
  openWorld: 'openWorldHint',
} as const;

/** Keys of `@mcp`. `isTag`: the key is also a tag by itself. */
const tagSettings = {
  name: { type: 'text', isTag: false },
  title: { type: 'text', isTag: true },
  description: { type: 'text', isTag: false },
  category: { type: 'text', isTag: true },
  hidden: { type: 'flag', isTag: true },
  visible: { type: 'flag', isTag: false },
  readonly: { type: 'flag', isTag: true },
  destructive: { type: 'flag', isTag: true },
  idempotent: { type: 'flag', isTag: true },
  openWorld: { type: 'flag', isTag: true },
} as const satisfies Record<TagSetting, { readonly type: 'text' | 'flag'; readonly isTag: boolean }>;

/** The keys of `@mcp`. */
export const mcpKeys: readonly string[] = Object.keys(tagSettings);

/** The tags with an effect on a function. */
export const functionTags: readonly string[] = [
  'mcp',
  'param',
  'returns',
  ...mcpKeys.filter((key) => tagSettings[key as TagSetting].isTag),
];

/** `key`, `key=value` or `key="a value"`. */
const word = /([^\s=]+)(?:=(?:"((?:[^"\\]|\\.)*)"|(\S*)))?/g;

/** Reads the tags of a function in order: a later tag overrides an earlier one. */
export function readToolTags({ tags }: DocFacts): ToolTags {
  const read: Partial<Record<TagSetting, string | boolean>> = {};
  const faults: { message: string; position: SourcePosition }[] = [];
  const set = (key: string, text: string | undefined, from: string, position: SourcePosition) => {
    const fault = assign(read, key, text);
    if (fault) faults.push({ message: `${from} ${fault}`, position });
  };
  for (const { name, text, position } of tags) {
    if (name === 'mcp') {
      for (const [, key = '', quoted, bare] of text.matchAll(word)) {
        set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare, '"@mcp"', position);
      }
    } else if (Object.hasOwn(tagSettings, name) && tagSettings[name as TagSetting].isTag) {
      set(name, text === '' ? undefined : text, `"@${name}"`, position);
    }
  }
  const { name, title, description, category, hidden, visible } = read as Record<string, never>;
  const annotations = Object.entries(hints).flatMap(([key, hint]) =>
    read[key as TagSetting] === undefined ? [] : [[hint, read[key as TagSetting] as boolean]],
  );
  const isHidden = hidden ?? (visible === undefined ? undefined : !visible);
  return {
    isMarked: tags.some((tag) => tag.name === 'mcp'),
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
    ...(isHidden !== undefined && { hidden: isHidden }),
    ...(annotations.length > 0 && {
      annotations: Object.fromEntries(annotations) as Record<string, boolean>,
    }),
    faults,
  };
}

function assign(
  read: Partial<Record<TagSetting, string | boolean>>,
  key: string,
  text: string | undefined,
): string | undefined {
  if (!Object.hasOwn(tagSettings, key)) {
    const meant = didYouMean(key, mcpKeys);
    return `has an unknown key "${key}".${meant ? ` Did you mean "${meant}"?` : ''} Known keys: ${mcpKeys.join(', ')}.`;
  }
  const { type } = tagSettings[key as TagSetting];
  if (type === 'text') {
    if (!text) return `has "${key}" without a text. Expected ${key}="…".`;
    read[key as TagSetting] = text;
    return undefined;
  }
  if (text !== undefined && text !== 'true' && text !== 'false') {
    return `has "${key}" with the value "${text}". Expected true or false.`;
  }
  read[key as TagSetting] = text !== 'false';
  return undefined;
}
