import type { ClientFacts } from '../../engine/installation/client-facts.js';
import { type ColorOption, styleFor } from './style.js';

/** The clients, a line for each, its files below. */
export function renderClients(clients: readonly ClientFacts[], options: ColorOption): string {
  if (clients.length === 0)
    return 'No client was found on this machine. See all with: agenttools list-clients\n';
  const style = styleFor(options);
  const width = Math.max(...clients.map(({ id }) => id.length));
  const lines = clients.map(({ id, name, state, user, project, manual }) => {
    const paint = { configured: style.green, installed: style.cyan, 'not found': style.dim }[state];
    const files = manual
      ? ['by hand: install prints what to paste']
      : [user ?? 'no file on this system', ...(project === null ? [] : [`project: ${project}`])];
    return `${style.bold(id.padEnd(width))}  ${name}: ${paint(state)}\n${files.map((file) => `${' '.repeat(width + 2)}${style.dim(file)}\n`).join('')}`;
  });
  return lines.join('');
}
