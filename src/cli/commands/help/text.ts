import type { Topic } from '../../shared/docs-pages.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** Lists topics with the titles of their pages. */
export function renderTopics(
  topics: readonly Topic[],
  { color, width }: ColorOption & { readonly width: number },
): string {
  const style = styleFor({ color });
  const column = Math.max(...topics.map(({ name }) => name.length));
  const lines = topics.map(({ name, title }) => {
    const room = width - column - 4;
    const shown = title.length > room ? `${title.slice(0, Math.max(0, room - 1))}…` : title;
    return `  ${style.cyan(name.padEnd(column))}  ${shown}\n`;
  });
  return `${style.bold('Topics:')}\n${lines.join('')}\nShow one with: agenttools help <topic>\n`;
}
