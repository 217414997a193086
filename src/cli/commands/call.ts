import { text as readText } from 'node:stream/consumers';
import { callOnce } from '../../engine/call-once.js';
import { findOrObtain } from '../../engine/items/obtaining.js';
import { visibleText } from '../../engine/visible-text.js';
import type { Host } from '../../host.js';
import { ExitCode } from '../exit-code.js';
import { guarded } from '../guarded.js';
import { parseJsonArguments } from '../json-arguments.js';
import { obtaining } from '../obtaining.js';
import { personAt } from '../person.js';
import { withProgress } from '../progress.js';
import { renderJson } from '../render/json.js';
import { renderResult } from '../render/result.js';
import { openWorkspace } from '../workspace.js';

export interface CallInput {
  readonly server: string;
  readonly tool: string;
  /** A JSON object, or `-` for stdin. */
  readonly text: string;
  readonly autoInstall: boolean;
  readonly json: boolean;
}

/** Calls one tool. What it answers goes to stdout, also when it is a failure. */
export async function callCommand(
  { server, tool, text, autoInstall, json }: CallInput,
  host: Host,
): Promise<ExitCode> {
  const args = parseJsonArguments(text === '-' ? await readText(host.stdin) : text);
  const workspace = openWorkspace(host);
  const person = text === '-' ? undefined : personAt(host);
  const result = await guarded(host, (signal) =>
    withProgress(host, async (tell) => {
      const obtain = obtaining(host, { wanted: autoInstall, tell });
      const report = (line: string) => {
        tell('');
        host.stderr.write(`${visibleText(line)}\n`);
      };
      const find = () => workspace.findServer(server);
      const found = await findOrObtain(find, { obtain, dryRun: false, signal, report });
      return await callOnce(found, workspace, {
        tool,
        args,
        env: host.env,
        report,
        signal,
        person,
        obtain,
      });
    }),
  );
  if (person?.interruption) throw person.interruption;
  host.stdout.write(json ? renderJson(result) : renderResult(result));
  return result.isError ? ExitCode.Failed : ExitCode.Ok;
}
