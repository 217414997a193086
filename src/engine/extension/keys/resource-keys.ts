import type { DefinitionShape } from '../key-shape.js';
import { annotations, cacheOf, category, hidden, icons, meta, name, title, visible } from './common-keys.js';

/** Keys of a resource. */
export const resourceShape: DefinitionShape = {
  uri: { types: ['string'], description: 'The address: an absolute URI with any scheme.' },
  uriTemplate: {
    types: ['string'],
    description: 'Replaces `uri`: the RFC 6570 [template](resources.md#templates) of many addresses.',
  },
  text: { types: ['string'], description: 'The content as text.' },
  file: {
    types: ['string'],
    description: 'The content as a file of the package: a path relative to the package folder.',
  },
  read: {
    types: ['callable'],
    description:
      '`read(uri, variables, ctx)` [returns the content](resources.md#create-content-in-a-function), or ' +
      'nothing if the resource does not exist.',
    typescript: 'ReadResource',
    unseen: true,
  },
  mimeType: {
    types: ['string'],
    description: 'The media type. Default: derived from the ending of `file`; `text/plain` for `text`.',
  },
  list: {
    types: ['callable'],
    description:
      '`list(ctx)` returns [the resources of a template](resources.md#list-the-resources-of-a-template).',
    typescript: 'ListTemplateResources',
    unseen: true,
  },
  complete: {
    types: ['object'],
    description:
      '[Suggestions](resources.md#templates) for variables of the template, by variable: a list, or ' +
      '`complete(value, ctx)`.',
    typescript: 'Readonly<Record<string, CompletionSource>>',
    unseen: true,
  },
  name,
  title,
  description: { types: ['string'], description: 'The content of the resource, in words.' },
  annotations,
  size: { types: ['count'], description: 'The size in bytes, if known.' },
  subscribable: {
    types: ['boolean'],
    description:
      '`true`: clients can [subscribe to changes](visibility.md#notify-subscribers-of-a-resource), which ' +
      '`ctx.notifyResourceUpdated` reports.',
  },
  cache: cacheOf('the content'),
  category,
  meta,
  icons,
  hidden,
  visible,
  timeoutMs: {
    types: ['positive-number'],
    description: 'The timeout of `read` in milliseconds. Default: 60000.',
    unseen: true,
  },
};
