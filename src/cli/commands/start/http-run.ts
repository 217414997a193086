import { type HttpOptions, startHttpServer } from '../../../engine/serve/http/start-http.js';
import type { Host } from '../../../host.js';
import type { ExitCode } from '../../shared/exit-code.js';
import type { StartInput } from './arguments.js';
import { preparation, withSecrets } from './run.js';

export interface StartHttpInput extends StartInput {
  readonly http: HttpOptions;
  readonly json: boolean;
}

/** Serves a server over HTTP until a signal arrives. */
export async function startHttpCommand(
  { http, json, ...input }: StartHttpInput,
  host: Host,
): Promise<ExitCode> {
  return await startHttpServer({
    ...(await preparation(input, host)),
    host: await withSecrets(host, input),
    http,
    onListening(url) {
      if (json) host.stdout.write(`${JSON.stringify({ url })}\n`);
      host.stderr.write(`Serving at ${url}\n`);
    },
  });
}
