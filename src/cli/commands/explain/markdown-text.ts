import { visibleText } from '../../../engine/base/visible-text.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** Prints Markdown unchanged; with colour, headings are bold. */
export function renderMarkdown(text: string, options: ColorOption): string {
  const style = styleFor(options);
  let inFence = false;
  const lines = visibleText(text).trimEnd().split('\n');
  const shown = lines.map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) inFence = !inFence;
    return !inFence && /^#{1,6}\s/.test(line) ? style.bold(line) : line;
  });
  return `${shown.join('\n')}\n`;
}
