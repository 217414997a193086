import { AgentToolsError } from '../base/errors.js';
import { visibleMessage } from '../base/visible-text.js';
import { withoutUserinfo } from './without-userinfo.js';

/** Error output of npm. */
export interface NpmFailure {
  /** Such as `E404`. */
  readonly code: string | undefined;
  /** Message of npm. */
  readonly reason: string;
}

/** A failure of npm, with its message and advice. */
export class NpmError extends AgentToolsError {
  /** npm's code, such as `E404`. */
  readonly npmCode: string | undefined;
  /** Message of npm. */
  readonly reason: string;

  constructor({ code, reason }: NpmFailure) {
    const [, wayOut] = npmErrorHints.find(([codes]) => code !== undefined && codes.includes(code)) ?? [];
    const isUnknown = code === 'E404' || code === 'ETARGET';
    super(
      isUnknown ? 'not-found' : 'failed',
      `npm failed: ${endSentence(reason)}${wayOut === undefined ? '' : ` ${wayOut}`}`,
    );
    this.npmCode = code;
    this.reason = reason;
  }
}

/** Advice for npm's error codes. */
const npmErrorHints: readonly (readonly [readonly string[], string])[] = [
  [
    ['E401', 'E403', 'ENEEDAUTH', 'EOTP'],
    'Log in to the registry with: npm login. Or set its credentials in .npmrc.',
  ],
  [['E404'], 'Check the name, and the address of the registry: npm config get registry'],
  [['ETARGET', 'EINVALIDTAGNAME'], 'See its versions with: npm view <package> versions'],
  [
    ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH', 'ENOTCACHED'],
    'The registry cannot be reached. Try again when you are online; see its address with: npm config get registry',
  ],
  [
    ['EINTEGRITY'],
    'The download differs from the published or recorded checksum. Nothing was installed. Try again after: npm cache verify',
  ],
  [['ENOSPC'], 'The disk is full.'],
  [['EACCES', 'EPERM', 'EROFS'], 'The folder is not writable.'],
];

/** Reads the code and the first message of npm's error output. */
export function readNpmFailure(stderr: string): NpmFailure {
  const lines = stderr
    .split('\n')
    .map((line) => /^npm (?:error|ERR!)\s?(.*)$/.exec(line)?.[1]?.trim())
    .filter((line) => line !== undefined && line !== '');
  const code = lines.map((line) => /^code (\w+)$/.exec(line!)?.[1]).find((found) => found !== undefined);
  const said = lines.filter((line) => !/^(?:code|errno|syscall|path|dest) /.test(line!) && !isTail(line!));
  const first = said[0]?.replace(new RegExp(`^(?:${code ?? ''}|\\d{3}) `, 'i'), '');
  const reason = first ?? (stderr.trim().split('\n').at(-1) || 'npm printed no reason');
  return { code, reason: visibleMessage(withoutUserinfo(reason)) };
}

/** True for lines that npm prints after every failure. */
function isTail(line: string): boolean {
  return line.startsWith('A complete log of this run') || line.startsWith('For a full report see');
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
