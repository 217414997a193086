import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { type UndoRequest, undo } from '../../../engine/installation/undo.js';
import type { Host } from '../../../host.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { renderJson } from '../../shared/text/json.js';
import { undoData, undoDiff, undoLines } from './text.js';

export interface UndoInput extends UndoRequest {
  readonly json: boolean;
}

/** Takes back the last changes of config files. Prints data to stdout and the report to stderr. */
export async function undoCommand({ json, ...request }: UndoInput, host: Host): Promise<ExitCode> {
  const { receipts } = installationFolders(host);
  const outcome = await undo(request, receipts);
  host.stderr.write(undoLines(outcome, request));
  if (json) host.stdout.write(renderJson(undoData(outcome.results, request)));
  else if (request.dryRun) host.stdout.write(undoDiff(outcome.results));
  return toExitCode(outcome.results);
}
