import path from 'node:path';
import { packageVersion } from '../../../engine/base/folders.js';
import { choosePackageName, createExtension } from '../../../engine/create/scaffold.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { renderScaffold } from './text.js';

export interface CreateInput {
  readonly folder: string;
  readonly typescript: boolean;
  /** Adds an app that shows the result of the tool. */
  readonly app: boolean;
  /** Name of the npm package. Default: derived from the folder. */
  readonly name: string | undefined;
  readonly json: boolean;
}

/** Writes a minimal extension and prints the next steps. */
export async function createCommand(
  { folder, typescript, app, name, json }: CreateInput,
  { cwd, stdout, color }: Host,
): Promise<ExitCode> {
  const directory = path.resolve(cwd, folder);
  const version = packageVersion();
  const made = await createExtension({
    directory,
    name: choosePackageName(directory, name),
    typescript,
    app,
    version,
  });
  stdout.write(json ? renderJson(made) : renderScaffold({ ...made, folder, typescript, app }, { color }));
  return ExitCode.Ok;
}
