import type { ClientLimit } from '../compatibility/client-limits.js';
import { isBreached, isSevere } from '../compatibility/judge-findings.js';
import { checkServer, checkTool, type ListedTool } from '../compatibility/surface-checks.js';
import { adaptTools } from './adapt-list.js';
import { adaptationTargetOf } from './adaptation-target.js';

/** Tools that a client loses or damages, by the limit that they breach. */
export interface HarmedTools {
  readonly limit: ClientLimit;
  /** Names of the tools at the server. */
  readonly tools: readonly string[];
}

interface HarmSettings {
  readonly serverKey: string;
  /** Adaptation between the server and the client. */
  readonly adapt: 'auto' | 'on' | 'off';
}

/** Finds the tools of a server that a client loses or damages. Empty for a client without known limits. */
export function findHarmedTools(
  tools: readonly ListedTool[],
  clientId: string,
  { serverKey, adapt }: HarmSettings,
): readonly HarmedTools[] {
  const target = adaptationTargetOf(clientId, { mode: 'on', serverKey });
  if (!target) return [];
  const served = adapt === 'off' ? undefined : adaptationTargetOf(clientId, { mode: adapt, serverKey });
  const shown = served ? adaptTools(tools, served).map(({ tool }) => tool) : tools;
  const harmed = new Map<ClientLimit, Set<string>>();
  const names = shown.map(({ name }) => name);
  const findings = [
    ...shown.flatMap((tool, index) => [...checkTool(tool)].map((finding) => ({ ...finding, tool: index }))),
    ...checkServer({ key: serverKey, tools: names }),
  ];
  for (const finding of findings) {
    // Without a tool: the number of tools, which no adaptation changes.
    if (finding.tool === undefined) continue;
    for (const limit of target.limits.get(finding.code) ?? []) {
      if (!isSevere(limit) || !isBreached(limit, finding)) continue;
      harmed.set(limit, (harmed.get(limit) ?? new Set()).add(tools[finding.tool]!.name));
    }
  }
  return [...harmed].map(([limit, names]) => ({ limit, tools: [...names] }));
}
