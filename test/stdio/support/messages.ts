/** What a message of 2026-07-28 says of itself. */
const claim = (version: unknown) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
});

/** A request of 2026-07-28, or of a version it claims to be of. */
export const modern = (
  id: unknown,
  method: string,
  { version = '2026-07-28', _meta = {}, ...params }: Readonly<Record<string, unknown>> = {},
) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: { ...claim(version), ...(_meta as object) } },
});

/** A request up to 2025-11-25. */
export const legacy = (id: unknown, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});

/** A tool call up to 2025-11-25. */
export const call = (id: unknown, name: string, args: object = {}, meta?: object) =>
  legacy(id, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });

export const cancelled = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: 'The test said so.' },
});

/** Every revision with a handshake. */
export const handshakeVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
