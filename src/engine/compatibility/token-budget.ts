import type { Severity } from '../extension/diagnostics.js';
import type { ServerCost } from './token-cost.js';

/** Most tokens for the tools of a server, with the severity of more. */
export interface TokenBudget {
  /** Tokens of one server. Default: a warning over 8,000, an error over 20,000. */
  readonly tokens?: number | undefined;
}

/** A server or tool over its budget. */
export interface BudgetFault {
  readonly code: 'compat/token-budget';
  readonly severity: Severity;
  readonly message: string;
  /** Absent: the server. */
  readonly tool?: string;
}

const serverLimits = { warning: 8000, error: 20_000 };
const toolLimits = { warning: 1000, error: 2500 };

/** Number of tools that a report names. */
export const namedTools = 5;

/** Compares the tokens of a server and of its tools with a budget. */
export function* checkBudget(cost: ServerCost, { tokens: limit }: TokenBudget): Generator<BudgetFault> {
  const severity =
    limit === undefined ? severityOf(cost.tokens, serverLimits) : cost.tokens > limit ? 'error' : undefined;
  if (severity) {
    const bound = limit ?? serverLimits[severity];
    const largest = cost.tools
      .slice(0, namedTools)
      .map(({ name, tokens, largest }) => `${name} ${format(tokens)} (${largest.part})`);
    yield {
      code: 'compat/token-budget',
      severity,
      message: `The tools of the server "${cost.server}" need ${formatTokens(cost)} tokens of each request, more than ${format(bound)}. Most: ${largest.join(', ')}. Shorten them, or serve them through the catalog.`,
    };
  }
  if (limit !== undefined) return;
  for (const { name, tokens, largest } of cost.tools) {
    const toolSeverity = severityOf(tokens, toolLimits);
    if (!toolSeverity) continue;
    yield {
      code: 'compat/token-budget',
      severity: toolSeverity,
      tool: name,
      message: `The tool "${name}" needs ${formatTokens({ ...cost, tokens })} tokens of each request, more than ${format(toolLimits[toolSeverity])}. Its largest part is "${largest.part}" with ${format(largest.tokens)}. Shorten it, or split the tool.`,
    };
  }
}

function severityOf(
  tokens: number,
  { warning, error }: { readonly warning: number; readonly error: number },
): 'warning' | 'error' | undefined {
  if (tokens > error) return 'error';
  return tokens > warning ? 'warning' : undefined;
}

/** `≈ 1,234` for an estimate, else `1,234`. */
export function formatTokens({ tokens, errorPercent }: Pick<ServerCost, 'tokens' | 'errorPercent'>): string {
  return `${errorPercent > 0 ? '≈ ' : ''}${format(tokens)}`;
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
