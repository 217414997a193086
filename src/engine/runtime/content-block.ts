import { blockFault, isContentBlock as isWellFormed } from '../extension/content-block.js';
import type { ContentBlock } from './result-builders.js';

/** True if a value is a well-formed content block of a type that MCP defines. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isWellFormed(value);
}

/** Describes the fault of a malformed block. */
export function describeMalformed(block: ContentBlock): string {
  return `a malformed block of type "${block.type}": ${blockFault(block)}`;
}
