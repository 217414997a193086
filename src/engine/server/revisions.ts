import type { ContentBlock } from '../items/builders.js';

/** Content block types that came later than 2024-11-05, with the revision that brought them. */
const introduced: Readonly<Record<string, string>> = {
  audio: '2025-03-26',
  resource_link: '2025-06-18',
};

/** A content block as a revision knows it; types it lacks become text. Revisions are dates and compare as text. */
export function blockFor(version: string | undefined, block: ContentBlock): ContentBlock {
  const since = introduced[block.type];
  if (since === undefined || version === undefined || version >= since) return block;
  return { type: 'text', text: asText(block) };
}

function asText(block: ContentBlock): string {
  if (block.type === 'resource_link')
    return [block.title ?? block.name, block.uri].filter(Boolean).join(': ');
  return `[${block.type}: ${String(block.mimeType)}]`;
}
