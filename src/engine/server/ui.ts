import { Server, type ServerCapabilities, type Transport } from '@modelcontextprotocol/server';
import { isRecord } from '../extension/shapes.js';
import { appMimeType } from '../items/app.js';
import { metaKey, modernVersions } from './protocol/eras.js';

/** The name of MCP Apps among extensions. @see MCP Apps 2026-01-26, "Client<>Server Capability Negotiation" */
const uiExtension = 'io.modelcontextprotocol/ui';

/** What a server says of itself to clients that show its UI. */
export const uiCapability: Pick<ServerCapabilities, 'extensions'> = {
  extensions: { [uiExtension]: { mimeTypes: [appMimeType] } },
};

/** Whether UI may be shown at all: `MCP_APPS_ENABLED=false` says no, whatever the client can do. */
export function allowsUi({ MCP_APPS_ENABLED }: Readonly<Record<string, string | undefined>>): boolean {
  return MCP_APPS_ENABLED?.trim().toLowerCase() !== 'false';
}

/** Whether a client shows UI. One that does not say which kinds of page it takes is taken to take ours. */
export function declaresUi(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const declared = isRecord(extensions) ? extensions[uiExtension] : undefined;
  if (!isRecord(declared)) return false;
  const { mimeTypes } = declared;
  if (mimeTypes === undefined) return true;
  return Array.isArray(mimeTypes) && mimeTypes.some(isAppMimeType);
}

/** MIME types are the same in capital letters, and with blanks or quotes around parameters. @see RFC 9110, 8.3.1 */
function isAppMimeType(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase().replace(/[\s"]/g, '') === appMimeType;
}

/** What a server offers, to clients that show UI and to all others. */
export interface Offers {
  readonly withUi: ServerCapabilities;
  readonly withoutUi: ServerCapabilities;
  /** Whether a client is one of those that show UI. */
  readonly showsUi: (clientCapabilities: unknown) => boolean;
}

/** An SDK server that answers handshakes by what the client can show. Until one has come, it can do all it may have to. */
export class UiServer extends Server {
  readonly #offers: Offers;
  readonly #instructions: string | undefined;

  constructor(
    info: ConstructorParameters<typeof Server>[0],
    options: NonNullable<ConstructorParameters<typeof Server>[1]>,
    offers: Offers,
  ) {
    super(info, { ...options, capabilities: offers.withUi });
    this.#offers = offers;
    this.#instructions = options.instructions;
  }

  /** Asked for when an `initialize` is answered, by which time the client has said what it can do. */
  override getCapabilities(): ServerCapabilities {
    const client = this.getClientCapabilities();
    return client === undefined ? this.#offers.withUi : this.#offered(client);
  }

  /** `server/discover` is answered by its own request. The SDK's entry puts its handler in just before it connects. */
  override async connect(transport: Transport): Promise<void> {
    if (modernVersions.some((version) => version === this.getNegotiatedProtocolVersion())) {
      this.setRequestHandler('server/discover', (_, { mcpReq }) => ({
        supportedVersions: [...modernVersions],
        capabilities: this.#offered((mcpReq.envelope as Envelope)?.[metaKey.clientCapabilities]),
        ...(this.#instructions !== undefined && { instructions: this.#instructions }),
      }));
    }
    await super.connect(transport);
  }

  #offered(clientCapabilities: unknown): ServerCapabilities {
    const { showsUi, withUi, withoutUi } = this.#offers;
    return showsUi(clientCapabilities) ? withUi : withoutUi;
  }
}

type Envelope = Readonly<Record<string, unknown>> | undefined;
