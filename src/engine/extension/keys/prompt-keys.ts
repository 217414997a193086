import type { DefinitionShape } from '../key-shape.js';
import { category, hidden, icons, meta, name, requires, title, visible } from './common-keys.js';

const argumentShape: DefinitionShape = {
  name: {
    types: ['string'],
    description: 'The name of the argument, also in templates and functions.',
    required: true,
  },
  title: { types: ['string'], description: 'A name for users.' },
  description: { types: ['string'], description: 'The meaning of the value, for the user.' },
  required: {
    types: ['boolean'],
    description: '`true`: the user must enter a value. Default: `false`.',
  },
  complete: {
    types: ['callable', 'string-list'],
    description: '[Suggestions](prompts.md#suggestions): a list, or `complete(value, ctx)`.',
    typescript: 'CompletionSource',
  },
};

const messageShape: DefinitionShape = {
  role: {
    types: ['string'],
    description: 'The sender of the message: `"user"` or `"assistant"`.',
    required: true,
    values: ['user', 'assistant'],
  },
  content: {
    types: ['any'],
    description: 'Text, `{ "template": … }`, a content block, or a list of these.',
    typescript: 'StaticContent | readonly StaticContent[]',
    required: true,
  },
};

/** Keys of a prompt. */
export const promptShape: DefinitionShape = {
  content: {
    types: ['any'],
    description:
      '[Text](prompts.md#write-text-a-template-or-messages), `{ "template": … }` with `{{name}}` slots, or ' +
      '[`content(args, ctx)`](prompts.md#create-messages-in-a-function).',
    typescript: 'PromptContent<A>',
  },
  messages: {
    types: ['list'],
    description:
      'Replaces `content`: several [messages](prompts.md#write-text-a-template-or-messages) with roles.',
    shape: messageShape,
  },
  type: {
    types: ['string'],
    description:
      'The type of `content`. `"function"`: a string is a ' +
      '[module reference](extension-format.md#module-references). `"text"`: a string is text. `"auto"`: a ' +
      'string is text, and a function is called. Default: `"auto"`.',
    values: ['text', 'function', 'auto'],
  },
  arguments: {
    types: ['list'],
    description: 'The [values](prompts.md#arguments) that the user enters.',
    typescript: 'A',
    shape: argumentShape,
  },
  name,
  title,
  description: { types: ['string'], description: 'The purpose of the prompt.' },
  category,
  meta,
  icons,
  hidden,
  visible,
  timeoutMs: {
    types: ['positive-number'],
    description: 'The timeout of `content` in milliseconds. Default: 60000.',
    unseen: true,
  },
  requires,
};
