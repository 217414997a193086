import type { Host } from '../../../host.js';

/** A link that terminals show as its text. @see https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
export function hyperlink(text: string, url: string): string {
  return `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007`;
}

/** Values of `TERM_PROGRAM` of terminals with links. VS Code is missing: it finds `file:line:column` itself, and opens the line. */
const programs = ['iTerm.app', 'WezTerm', 'ghostty', 'Hyper', 'rio', 'Tabby'];

/**
 * True if stdout is a terminal that shows links, and colours are on. `FORCE_HYPERLINK` decides otherwise: `0` is off, any other
 * value is on.
 */
export function showsHyperlinks({ color, env, stdout }: Pick<Host, 'color' | 'env' | 'stdout'>): boolean {
  if (!color) return false;
  const { FORCE_HYPERLINK: forced, TERM_PROGRAM: program, TERM: term = '', VTE_VERSION: vte } = env;
  if (forced !== undefined) return forced !== '0';
  if (!('isTTY' in stdout && stdout.isTTY === true)) return false;
  if (env.CI || env.TEAMCITY_VERSION || env.TMUX || term.startsWith('screen')) return false;
  if (env.WT_SESSION || env.KONSOLE_VERSION || /^(?:xterm-kitty|alacritty|foot)/.test(term)) return true;
  // Links of VTE 0.50.0 crash it.
  if (vte) return Number(vte) > 5000;
  return programs.includes(program ?? '');
}
