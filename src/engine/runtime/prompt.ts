import { isRecord } from '../base/value-checks.js';
import { isTemplate } from '../extension/check-definition.js';
import { isFunctionLike } from '../extension/check-shape.js';
import { isBlock } from '../extension/content-block.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { translateArgument } from '../extension/key-spellings.js';
import { brands, isBranded } from './authoring-symbols.js';
import type { Context } from './context.js';
import { lazyFunction } from './lazy-function.js';
import { commonParts, requireModules, requireUsable } from './read-definition.js';
import { type ContentBlock, type PromptMessage, toBlocks, user } from './result-builders.js';
import type { PromptResult, PromptSpec } from './specs.js';
import { readSuggestions } from './suggestions.js';
import { fill } from './text-template.js';
import { plainPieces, ResultError, requireBlock } from './tool-result.js';
import { commonWire } from './wire-item.js';

type PromptValues = Readonly<Record<string, string>>;
type RenderPrompt = (args: PromptValues, ctx: Context) => Promise<PromptResult>;
type PromptFunction = (args: PromptValues, ctx: Context) => unknown;

/** Creates a prompt spec from its definition. @throws DefinitionError with the first fault. */
export async function readPrompt(definition: Definition): Promise<PromptSpec> {
  const normal = withArguments(definition);
  requireUsable(normal);
  await requireModules(normal);
  const list = (normal.value.arguments ?? []) as readonly RawPromptArgument[];
  const base = commonWire(normal);
  if (base.name === '')
    throw new DefinitionError('invalid-wire-name', 'A prompt has an empty name.', { file: normal.file.file });
  return {
    ...commonParts(normal),
    kind: 'prompts',
    name: base.name,
    wire: {
      ...base,
      arguments: list.map(({ name, title, description, required = false }) => ({
        name,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        required,
      })),
    },
    required: list.filter(({ required }) => required).map(({ name }) => name),
    argumentNames: list.map(({ name }) => name),
    isCode: isCode(normal),
    render: renderer(normal),
    complete: new Map(
      list.flatMap(({ name, complete }) =>
        complete === undefined ? [] : [[name, readSuggestions(complete, normal.extension)]],
      ),
    ),
  };
}

/** A prompt's definition with the canonical keys of its arguments. */
export function withArguments(definition: Definition): Definition {
  const declared = readArguments(definition.value.arguments);
  return declared ? { ...definition, value: { ...definition.value, arguments: declared } } : definition;
}

interface RawPromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: unknown;
}

function readArguments(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((entry) => (isRecord(entry) ? translateArgument(entry) : entry));
}

/** Creates the function that renders a prompt: literal text, a template, fixed messages, or a function. */
function renderer(definition: Definition): RenderPrompt {
  const { value, extension } = definition;
  const { content, messages } = value;
  if (Array.isArray(messages)) {
    const fixed = messages as readonly { role: 'user' | 'assistant'; content: unknown }[];
    return async (args) => ({
      messages: fixed.flatMap(({ role, content }) =>
        [content].flat().map((one) => ({ role, content: fixedBlock(one, args) })),
      ),
    });
  }
  if (!isCode(definition)) return async (args) => ({ messages: [user(fixedBlock(content, args))] });
  const load = lazyFunction<PromptFunction>(content, extension);
  return async (args, ctx) => {
    const call = await load();
    return toPromptResult(await call(args, ctx));
  };
}

function isCode({ value: { content, messages, type } }: Definition): boolean {
  return !Array.isArray(messages) && (isFunctionLike(content) || type === 'function');
}

function fixedBlock(content: unknown, args: PromptValues): ContentBlock {
  if (isTemplate(content)) return { type: 'text', text: fill(content.template, args) };
  if (isBlock(content)) return content;
  return { type: 'text', text: String(content) };
}

/**
 * Converts the return value of a prompt function to messages: a string or number is one user message, messages stay as
 * they are, each content block becomes a separate user message.
 * @throws ResultError for anything else.
 */
export function toPromptResult(returned: unknown): PromptResult {
  const value = plainPieces(returned);
  if (typeof value === 'string' || typeof value === 'number') return { messages: [user(String(value))] };
  if (isRecord(value) && Array.isArray(value.messages)) {
    const { description } = value;
    return { ...(typeof description === 'string' && { description }), messages: toMessages(value.messages) };
  }
  if (isRecord(value) && Array.isArray(value.content) && !isFinishedResult(value)) {
    return { messages: toMessages(value.content) };
  }
  return { messages: toMessages(Array.isArray(value) ? value : [value]) };
}

function isFinishedResult(value: unknown): boolean {
  return isBranded(value, brands.result);
}

function toMessages(items: readonly unknown[]): readonly PromptMessage[] {
  return items.flatMap((item): readonly PromptMessage[] => {
    if (typeof item === 'string') return [user(item)];
    if (isRecord(item) && (item.role === 'user' || item.role === 'assistant')) {
      const { role } = item;
      return blocksOfMessage(item.content).map((content) => ({ role, content }));
    }
    if (isRecord(item) && item.role !== undefined) {
      throw new ResultError(`a message has the role ${JSON.stringify(item.role)}, not "user" or "assistant"`);
    }
    if (isRecord(item)) return blocksOfMessage(item).map((content) => ({ role: 'user', content }));
    throw new ResultError('a prompt returns a string, messages or content blocks');
  });
}

/** Several blocks become as many messages, because an MCP message has one block. */
function blocksOfMessage(content: unknown): readonly ContentBlock[] {
  if (Array.isArray(content) && content.length > 0) return content.flatMap(blocksOfMessage);
  const blocks = typeof content === 'string' || isRecord(content) ? toBlocks(content as never) : [];
  if (blocks.length === 0 || !blocks.every(isBlock)) {
    throw new ResultError('a prompt message holds strings or content blocks');
  }
  for (const block of blocks) requireBlock(block, 'a prompt message holds');
  return blocks;
}
