import { AgentToolsError } from '../base/errors.js';
import type { Launch, WritableClient } from '../clients/client.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { withReferences } from '../clients/entry-shapes.js';
import type { EntryTarget } from './entry-target.js';
import type { SecretPlaceholders } from './secrets.js';

/** Client, key and position of an entry. */
export interface EntryOptions {
  readonly client: WritableClient;
  readonly key: string;
  readonly placement: EntryTarget;
  readonly hidden: SecretPlaceholders;
}

/**
 * Builds the entry for a launch in the client's layout. @throws AgentToolsError for a setting that the client
 * does not have.
 */
export function buildConfigEntry(
  launch: Launch,
  { client, key, placement, hidden }: EntryOptions,
): ConfigEntry {
  const { layout } = placement;
  if (launch.cwd !== undefined && layout.cwd === undefined) {
    const message = `${client.name} has no setting for the working directory of a server. Leave out --cwd.`;
    throw new AgentToolsError('refused', message);
  }
  const plain = Object.entries(launch.env).filter(([name]) => !hidden.names.includes(name));
  const shown = layout.entry({ ...launch, env: Object.fromEntries(plain) }, key);
  return { ...withReferences(shown, layout, hidden.env), ...hidden.fields };
}
