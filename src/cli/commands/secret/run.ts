import { AgentToolsError } from '../../../engine/base/errors.js';
import { rethrowAsUserError } from '../../../engine/base/file-fault.js';
import { decodeText, readBytes } from '../../../engine/base/files/text-file.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { isSecretName } from '../../../engine/base/secret-reference.js';
import { visibleLine } from '../../../engine/base/visible-text.js';
import { clientName } from '../../../engine/clients/client-name.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { findSecretUses, type SecretUse } from '../../../engine/installation/secret-uses.js';
import { maxSecretBytes } from '../../../engine/secrets/secret-store.js';
import type { Host } from '../../../host.js';
import { isInteractive } from '../../shared/ask-question.js';
import { ExitCode } from '../../shared/exit-code.js';
import { hostSecrets } from '../../shared/secrets.js';
import { TerminalLines } from '../../shared/terminal-lines.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { removalText, renderSecrets, secretData, setText } from './text.js';

/** Stores a value from the terminal or stdin. */
export async function setSecretCommand(name: string, host: Host): Promise<ExitCode> {
  requireName(name);
  const value = isInteractive(host) ? await askValue(name, host) : await readValue(host);
  if (value === '')
    throw new AgentToolsError('refused', `No value was given for ${name}, so nothing was set.`);
  const secrets = hostSecrets(host);
  await secrets.set(name, value);
  const stored = (await secrets.list()).find((one) => one.name === name);
  host.stderr.write(setText(name, { isEncrypted: stored?.isEncrypted === true }));
  return ExitCode.Ok;
}

/** Lists the secrets without their values. */
export async function listSecretsCommand(
  { json }: { readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  const stored = await hostSecrets(host).list();
  const uses = await usesOf(host);
  const { dataFolder } = workspaceFolders(host);
  host.stdout.write(
    json
      ? renderJson(secretData(stored, uses))
      : renderSecrets(stored, { uses, dataFolder, color: host.color, nameOf: clientName }),
  );
  return ExitCode.Ok;
}

/** Deletes a secret. */
export async function removeSecretCommand(name: string, host: Host): Promise<ExitCode> {
  requireName(name);
  const wasThere = await hostSecrets(host).remove(name);
  const uses = (await usesOf(host)).filter(({ secret }) => secret === name);
  host.stderr.write(removalText(name, { wasThere, uses, nameOf: clientName }));
  return wasThere ? ExitCode.Ok : ExitCode.Failed;
}

async function usesOf(host: Host): Promise<readonly SecretUse[]> {
  const { receipts } = installationFolders(host);
  const { userServersFolder } = workspaceFolders(host);
  const { uses, notes } = await findSecretUses(receipts, { ...workspaceOptions(host), userServersFolder });
  for (const note of notes) host.stderr.write(`warning: ${note}\n`);
  return uses;
}

/** The message never contains the text after an equals sign, which is a value. */
function requireName(text: string): void {
  if (isSecretName(text)) return;
  const [name = ''] = text.split('=');
  const shown = text.includes('=') ? `${name}=…` : name;
  const advice = text.includes('=')
    ? ` Values are no arguments, since other programs can read them. Run: agenttools secret set ${visibleLine(name)}`
    : '';
  const message = `"${visibleLine(shown)}" is not a name of a secret. Expected letters, digits, ".", "-" and "_", first a letter or "_".${advice}`;
  throw new AgentToolsError('usage', message);
}

async function askValue(name: string, host: Host): Promise<string> {
  const lines = new TerminalLines(host);
  try {
    return (await lines.ask(`Value of ${name} (hidden): `, { isHidden: true })) ?? '';
  } finally {
    lines.close();
  }
}

/** The text of stdin without its last line break, which `echo` adds. */
async function readValue({ stdin }: Host): Promise<string> {
  const bytes = await rethrowAsUserError(() => readBytes(stdin, 'stdin', maxSecretBytes + 2));
  const text = await rethrowAsUserError(async () => decodeText(bytes, 'stdin'));
  return text.replace(/\r?\n$/, '');
}
