import { blockFault, isContentBlock as isWellFormed } from '../extension/content-block.js';
import type { ContentBlock } from './result-builders.js';

/** Whether a value is a well-formed content block of a type that MCP knows. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isWellFormed(value);
}

/** Says which block is malformed, and how. */
export function describeMalformed(block: ContentBlock): string {
  return `a malformed block of type "${block.type}": ${blockFault(block)}`;
}
