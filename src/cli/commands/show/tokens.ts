import { measureServer, type ServerCost } from '../../../engine/compatibility/token-cost.js';
import { findTokenCounter } from '../../../engine/compatibility/token-counter.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import type { Host } from '../../../host.js';
import { listedTools } from './listed-tools.js';

/** Counts the tokens of the tools that clients list. @throws AgentToolsError `usage` if the tools are not known */
export async function measureFacts(facts: Facts, host: Host): Promise<ServerCost> {
  const { key, tools } = listedTools(facts, { option: '--tokens', instead: '--budget' });
  return measureServer({ key, tools }, await findTokenCounter(host.cwd));
}
