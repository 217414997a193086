import { visibleTexts } from '../../../engine/base/visible-text.js';
import type { ClientFacts } from '../../../engine/installation/client-facts.js';
import { type ColorOption, formatCount, styleFor } from '../../shared/text/style.js';

const states = ['configured', 'installed', 'not found', 'by hand'] as const;

/** Presence does not matter for a client without a config file: the user enters its servers by hand. */
function stateLabel({ state, manual }: ClientFacts): (typeof states)[number] {
  return manual ? 'by hand' : state;
}

/** Number of clients, and one line for each; below it the config files of installed clients. */
export function renderClients(clients: readonly ClientFacts[], options: ColorOption): string {
  if (clients.length === 0)
    return 'No client was found on this machine. See all with: agenttools list-clients\n';
  const style = styleFor(options);
  const paint = {
    configured: style.green,
    installed: style.cyan,
    'not found': style.dim,
    'by hand': style.dim,
  };
  const idWidth = maxWidth(clients.map(({ id }) => id));
  const nameWidth = maxWidth(clients.map(({ name }) => name));
  const lines = visibleTexts(clients).map((client) => {
    const { id, name } = client;
    const state = stateLabel(client);
    const how = state === 'by hand' ? ': install prints what to paste' : '';
    const files = listClientFiles(client).map((file) => `${' '.repeat(idWidth + 2)}${style.dim(file)}\n`);
    return `${style.bold(id.padEnd(idWidth))}  ${name.padEnd(nameWidth)}  ${paint[state](state + how)}\n${files.join('')}`;
  });
  return `${clientCountHeading(clients)}\n\n${lines.join('')}`;
}

function clientCountHeading(clients: readonly ClientFacts[]): string {
  const counts = states.flatMap((state) => {
    const { length } = clients.filter((client) => stateLabel(client) === state);
    return length === 0 ? [] : [`${length} ${state}`];
  });
  return `${formatCount(clients.length, 'client')}: ${counts.join(', ')}`;
}

function listClientFiles({ state, user, project, manual }: ClientFacts): readonly string[] {
  if (manual || state === 'not found') return [];
  return [user ?? 'no file on this system', ...(project === null ? [] : [`project: ${project}`])];
}

function maxWidth(words: readonly string[]): number {
  return Math.max(...words.map(({ length }) => length));
}
