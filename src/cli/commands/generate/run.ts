import path from 'node:path';
import { generateItem } from '../../../engine/create/generate.js';
import type { SourceLanguage } from '../../../engine/create/item-files.js';
import type { ItemKind } from '../../../engine/extension/item-kinds.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { renderGenerated } from './text.js';

interface GenerateInput {
  readonly kind: ItemKind;
  readonly name: string;
  /** Folder of the package. */
  readonly path: string;
  readonly language: SourceLanguage | undefined;
  readonly json: boolean;
}

/** Adds an item to an extension and prints the next steps. */
export async function generateCommand(
  { kind, name, path: folder, language, json }: GenerateInput,
  { cwd, stdout, color }: Host,
): Promise<ExitCode> {
  const directory = path.resolve(cwd, folder);
  const made = await generateItem({ directory, kind, name, ...(language && { language }) });
  stdout.write(json ? renderJson(made) : renderGenerated({ ...made, folder }, { color }));
  return ExitCode.Ok;
}
