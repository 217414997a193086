import { Extension, type LoadCode } from '../../extension/extension.js';
import { defaultExportOf, importModule, onImport } from '../../extension/modules.js';
import { captureBuiltIns } from '../../host/built-ins.js';
import { describeDefinition } from '../../host/describe.js';
import { ProtocolError } from '../../items/builders.js';
import { Initializers } from '../../items/initialize.js';
import { listedKinds } from '../../items/registry.js';
import { parseToolOptions } from '../../items/tool-options.js';
import { type PlainData, plainData } from '../../plain-data.js';
import { messageOf, stackOf } from '../../thrown.js';
import { announcer } from '../audience.js';
import type { Connection } from '../context.js';
import { openLookout } from '../lookout.js';
import type { ErrorBody, JsonObject } from '../protocol/envelope.js';
import { answer, methodOf } from '../requests/methods.js';
import { openSession } from '../session.js';
import type { FromHost, HostedConnection, HostedServer, ToHost } from './messages.js';
import { Questions, RemoteRequest } from './remote-request.js';

export interface RunnerOptions {
  readonly send: (message: FromHost) => void;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Ends this process after its exit handlers. */
  readonly exit: () => void;
}
