import { isRecord } from '../base/value-checks.js';
import { checkTool } from '../extension/check-tool.js';
import { describeFault } from '../extension/describe-fault.js';
import { isLoadingModule } from '../extension/module-loading.js';
import { isWireName } from '../extension/names.js';
import { nameOfTool, readTools } from '../extension/toolkits.js';
import type { SchemaSide } from '../schema/compiled-schema.js';
import { SchemaError } from '../schema/schema-error.js';
import { requireSchema } from '../schema/wire-schema.js';
import { type AuthoredSchema, findAuthoredSchema } from './wire-item.js';

/**
 * Applies the checks of `validate` that need no waiting, and rejects unknown keys. While AgentTools loads the module, it
 * skips the schemas: later checks find their faults, and leave out this tool only.
 * @throws TypeError naming the tool
 */
export function requireTool(value: Readonly<Record<string, unknown>>): void {
  const name = nameOfTool(value);
  const what = toolLabel(name);
  for (const fault of checkTool(value)) throw new TypeError(describeFault(what, fault));
  if (name !== undefined && !isWireName(name)) {
    throw new TypeError(`${what} has a name that clients refuse. Expected 1 to 128 of A-Z a-z 0-9 _ . -`);
  }
  if (isLoadingModule()) return;
  for (const side of ['input', 'output'] as const) {
    withSchema(value, side, what, ({ schema, rawOnly }) => requireSchema(schema, { side, rawOnly }));
  }
}

/** Runs work with the schema of a side. @throws TypeError naming the tool, if the schema is invalid */
export function withSchema<T>(
  value: Readonly<Record<string, unknown>>,
  side: SchemaSide,
  what: string,
  work: (written: AuthoredSchema) => T,
): T | undefined {
  const written = findAuthoredSchema(value, side);
  try {
    return written && work(written);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new TypeError(`${what} has an unusable "${written?.key}": ${error.message}`, { cause: error });
  }
}

/** @throws TypeError for an invalid tool, or for several tools with the same name */
export function requireTools(kit: { readonly tools: readonly unknown[] }): void {
  for (const value of kit.tools) if (isRecord(value)) requireTool(value);
  const names = kit.tools.map((value) => (isRecord(value) ? nameOfTool(value) : undefined));
  const repeated = names.filter((name, index) => name !== undefined && names.indexOf(name) < index);
  if (repeated.length > 0) {
    const list = [...new Set(repeated)].map((name) => `"${name}"`).join(', ');
    throw new TypeError(`A toolkit has several tools named ${list}. Give each a different "name".`);
  }
  const [fault] = readTools({ options: {}, tools: kit.tools }).faults;
  if (fault) throw new TypeError(`A toolkit ${fault.reason}`);
}

/** Begins a message about a tool. */
export function toolLabel(name: string | undefined): string {
  return name === undefined ? 'A tool' : `Tool "${name}"`;
}
