import { signOut } from '../../../engine/sign-in/sign-in.js';
import type { Host } from '../../../host.js';
import type { InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { withProgress } from '../../shared/progress.js';
import { findRemoteServer } from '../../shared/remote-server.js';
import { openSignIns } from '../../shared/sign-ins.js';
import { renderJson } from '../../shared/text/json.js';
import { signOutText } from './text.js';

export interface LogoutInput {
  readonly server: string;
  readonly existing: InputOptions;
  readonly json: boolean;
}

/** Ends the sign-in to a remote server. */
export async function logoutCommand({ server, existing, json }: LogoutInput, host: Host): Promise<ExitCode> {
  const { signal } = new AbortController();
  const { url, outcome } = await withProgress(host, async (tell) => {
    // A known transport: the server itself is not asked.
    const known = { ...existing, transport: existing.transport ?? 'http' } as const;
    const { url } = await findRemoteServer(server, { existing: known, signal, tell }, host);
    return { url, outcome: await signOut(openSignIns(host).account(url)) };
  });
  if (json) host.stdout.write(renderJson({ wasSignedIn: outcome !== undefined, ...outcome }));
  host.stderr.write(signOutText(url, outcome));
  return ExitCode.Ok;
}
