import { measureServer, type ServerCost } from '../../../engine/compatibility/token-cost.js';
import { findTokenCounter } from '../../../engine/compatibility/token-counter.js';
import type { Host } from '../../../host.js';
import type { ListedTools } from './listed-tools.js';

/** Counts the tokens of the tools that clients list. */
export async function measureTools({ key, tools }: ListedTools, host: Host): Promise<ServerCost> {
  return measureServer({ key, tools }, await findTokenCounter(host.cwd));
}
