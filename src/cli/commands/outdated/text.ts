import { visibleTexts } from '../../../engine/base/visible-text.js';
import type { VersionState } from '../../../engine/installation/outdated.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** One line for each package or server that is not current, and the command that updates. */
export function renderOutdated(all: readonly VersionState[], options: ColorOption): string {
  const style = styleFor(options);
  const paint = { current: style.green, outdated: style.yellow, pinned: style.dim, unknown: style.dim };
  const shown = visibleTexts(all.filter(({ state }) => state !== 'current'));
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const lines = shown.map(({ name, kind, current, wanted, latest, state, reason, clients }) => {
    const versions = state === 'unknown' ? (current ?? 'no version') : `${current} → ${wanted}`;
    const pinned = `${current}, latest ${latest}`;
    const where = clients.length === 0 ? '' : `, in ${clients.join(', ')}`;
    const why = reason === undefined ? '' : `: ${reason}`;
    return `${style.bold(name.padEnd(width))}  ${paint[state](state)}  ${state === 'pinned' ? pinned : versions}  (${kind}${where})${why}\n`;
  });
  const outdated = all.filter(({ state }) => state === 'outdated');
  const summary =
    outdated.length > 0
      ? 'Show the changes and update with: agenttools update'
      : `Nothing is outdated. Number of packages and servers: ${all.length}.`;
  return `${lines.join('')}${summary}\n`;
}
