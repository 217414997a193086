import { isRecord } from '../base/value-checks.js';
import { type ErrorBody, ErrorNumber, type JsonObject } from './envelope.js';
import { metaKey } from './eras.js';
import { tasksExtension } from './protocol-extensions.js';

/** Most resource subscriptions of a session or a stream, and the longest URI. */
export const maxSubscribedUris = 1000;
export const maxSubscribedUriLength = 2048;

/** Requires the tasks capability for notifications of tasks. @see SEP-2663, Task Status Notifications */
export function findListenFault({ notifications, _meta }: JsonObject): ErrorBody | undefined {
  if (!isRecord(notifications) || notifications.taskIds === undefined) return undefined;
  const capabilities = isRecord(_meta) ? _meta[metaKey.clientCapabilities] : undefined;
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  if (isRecord(extensions) && extensions[tasksExtension] !== undefined) return undefined;
  return {
    code: ErrorNumber.MissingCapability,
    message: `Notifications of tasks need the client capability "extensions.${tasksExtension}", which this client does not have.`,
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  };
}
