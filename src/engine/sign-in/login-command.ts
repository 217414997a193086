import type { Challenge } from './challenge.js';

/** Words that a shell takes as they are. */
const plainWord = /^[\w@%+=:,./-]+$/;

/** Scopes that may be shown in a command: their text comes from the server. */
const plainScope = /^[\w:./*+-]+(?: [\w:./*+-]+)*$/;

/** The command that signs the user in to a server, with the scope that the server asks for. */
export function loginCommand(server: string, challenge?: Challenge): string {
  const scope = challenge?.isScopeTooSmall ? challenge.scope : undefined;
  const word = plainWord.test(server) ? server : `'${server.replaceAll("'", '%27')}'`;
  const isShown = scope !== undefined && scope.length < 500 && plainScope.test(scope);
  return `agenttools login ${word}${isShown ? ` --scope "${scope}"` : ''}`;
}
