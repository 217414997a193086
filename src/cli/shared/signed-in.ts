import { AgentToolsError } from '../../engine/base/errors.js';
import { accountName, type SignInFacts } from '../../engine/sign-in/sign-in-record.js';
import type { Host } from '../../host.js';
import { openSignIns } from './sign-ins.js';
import { writeNote } from './write-note.js';

/** Returns a function that finds the sign-in to the server at an address. A store that cannot be read is a note. */
export async function findSignIns(
  host: Host,
): Promise<(address: string | undefined) => SignInFacts | undefined> {
  const known = await openSignIns(host)
    .list()
    .catch((error: unknown) => {
      if (!(error instanceof AgentToolsError)) throw error;
      writeNote(host, error.message);
      return [];
    });
  return (address) =>
    address === undefined ? undefined : known.find(({ server }) => server === accountName(address));
}
