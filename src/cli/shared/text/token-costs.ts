import { formatTokens, namedTools } from '../../../engine/compatibility/token-budget.js';
import type { ServerCost } from '../../../engine/compatibility/token-cost.js';
import { type ColorOption, styleFor } from './style.js';

/** Width of the longest bar, in characters. */
const barWidth = 24;

/** The tokens of a server and of its largest tools, with bars. */
export function renderCost(cost: ServerCost, options: ColorOption): string {
  const style = styleFor(options);
  const { server, counter, errorPercent, clients, tools } = cost;
  const accuracy = errorPercent > 0 ? `, ±${errorPercent} %` : '';
  const others = Object.entries(clients).map(
    ([id, tokens]) => `${id} ${formatTokens({ tokens, errorPercent })}`,
  );
  const shown = tools.slice(0, namedTools);
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const largest = Math.max(1, ...shown.map(({ tokens }) => tokens));
  const lines = shown.map(({ name, tokens, largest: part }) => {
    const bar = '█'.repeat(Math.max(1, Math.round((tokens / largest) * barWidth))).padEnd(barWidth);
    const most = style.dim(`most: ${part.part} ${part.tokens.toLocaleString('en-US')}`);
    return `  ${name.padEnd(width)}  ${style.cyan(bar)}  ${tokens.toLocaleString('en-US')}  ${most}\n`;
  });
  const rest = tools.slice(namedTools).reduce((sum, { tokens }) => sum + tokens, 0);
  const more = rest > 0 ? `  ${tools.length - namedTools} more  ${rest.toLocaleString('en-US')}\n` : '';
  return `${style.bold(`${server}: ${formatTokens(cost)} tokens`)} ${style.dim(`(${counter}${accuracy}; ${others.join(', ')})`)}\n${lines.join('')}${more}`;
}
