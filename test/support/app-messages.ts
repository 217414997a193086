import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  JSONRPCMessageSchema,
  LoggingMessageNotificationSchema,
  PingRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const file = createRequire(import.meta.url).resolve('@modelcontextprotocol/ext-apps/schema.json');
const definitions: Record<string, { properties?: { method?: { const?: string } } }> = JSON.parse(
  readFileSync(file, 'utf8'),
).$defs;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** What an app may say beyond the app protocol's own messages. */
const plain = {
  'tools/call': CallToolRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/cancelled': CancelledNotificationSchema,
  ping: PingRequestSchema,
};

/** What is wrong with a message of an app, by the official schemas; nothing where it is as it should be. */
export function faultsOf({ jsonrpc, id, ...message }: Record<string, unknown>): readonly string[] {
  const whole = JSONRPCMessageSchema.safeParse({ jsonrpc, ...(id !== undefined && { id }), ...message });
  if (!whole.success) return [whole.error.message];
  const { method } = message;
  if (typeof method !== 'string') return [];
  const known = Object.entries(plain).find(([name]) => name === method)?.[1];
  if (known) return known.safeParse(message).error?.issues.map((issue) => issue.message) ?? [];
  const schema = Object.values(definitions).find(({ properties }) => properties?.method?.const === method);
  if (!schema) return [`${method} is no method of an app`];
  const validate = ajv.compile(schema);
  return validate(message) ? [] : [`${method}: ${ajv.errorsText(validate.errors)}`];
}
