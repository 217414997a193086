import { isRecord } from '../../../engine/base/value-checks.js';
import { visibleText, visibleTexts } from '../../../engine/base/visible-text.js';
import type { ContentBlock, ToolResult } from '../../../engine/runtime/result-builders.js';
import type { ToolSpec } from '../../../engine/runtime/specs.js';
import { declarationRow, parameterRows } from '../../shared/text/item-rows.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** Renders tools with their parameters. */
export function renderTools(tools: readonly ToolSpec[], options: ColorOption): string {
  if (tools.length === 0) return 'The server lists no tools.\n';
  const style = styleFor(options);
  return tools
    .map(({ name, wire }) => {
      const { description, inputSchema } = visibleTexts(wire);
      const text = typeof description === 'string' ? description : null;
      return declarationRow({ name, description: text }, style) + parameterRows(inputSchema);
    })
    .join('');
}

/** Renders a tool result: text unchanged, since pipes read it as data, and a note for any other block. */
export function renderResult({ content }: ToolResult): string {
  return content.map((block) => `${renderBlock(block).replace(/\n$/, '')}\n`).join('');
}

function renderBlock(block: ContentBlock): string {
  if (block.type === 'text') return String(block.text);
  const note = [block.type, ...(notes[block.type]?.(block) ?? [])].join(' ');
  return `[${visibleText(note).replaceAll('\n', ' ')}]`;
}

type DescribeBlock = (block: Readonly<Record<string, unknown>>) => readonly string[];

const media: DescribeBlock = ({ mimeType, data }) => [`${mimeType},`, formatBase64Size(data)];

/** Note for each type of content block except text. */
const notes: Readonly<Record<string, DescribeBlock>> = {
  image: media,
  audio: media,
  resource_link: ({ uri, title, name }) => [`${uri}`, ...(title || name ? [`"${title || name}"`] : [])],
  resource({ resource }) {
    const { uri, mimeType, text, blob } = isRecord(resource) ? resource : {};
    const size = typeof text === 'string' ? bytes(Buffer.byteLength(text)) : formatBase64Size(blob);
    return [`${uri}`, ...(mimeType ? [`${mimeType},`] : []), size];
  },
};

/** Decoded size of a base64 text. */
function formatBase64Size(base64: unknown): string {
  return bytes(typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0);
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${Math.round(count / 1000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
