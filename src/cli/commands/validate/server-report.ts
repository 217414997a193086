import { prepareEndpoint } from '../../../engine/bridge/existing-resolver.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import type { TokenBudget } from '../../../engine/compatibility/token-budget.js';
import type { TokenCounter } from '../../../engine/compatibility/token-cost.js';
import { validateServer } from '../../../engine/server-checks/validate-server.js';
import type { Severities } from '../../../engine/validate/rule-settings.js';
import type { ExtensionReport, SharedRules } from '../../../engine/validate/validate.js';
import type { Host } from '../../../host.js';
import { existingDeps, givenOptions, type InputOptions } from '../../shared/existing.js';
import { runWithGuard } from '../../shared/run-guarded.js';
import { offeringSignIn } from '../../shared/sign-in-user.js';
import { openSignIns } from '../../shared/sign-ins.js';

interface ServerReportOptions {
  readonly existing: InputOptions;
  readonly rules: Severities;
  /** Rules of the shared config. */
  readonly shared: SharedRules | undefined;
  readonly clients: ReadonlySet<string> | undefined;
  readonly budget: (TokenBudget & { readonly counter: TokenCounter }) | undefined;
  readonly timeoutMs: number;
  readonly tell: (text: string) => void;
}

/** Starts or reaches an existing server and checks it. @throws AgentToolsError if it cannot be found or prepared */
export async function reportOnServer(
  named: NamedReference,
  { existing, rules, shared, clients, budget, timeoutMs, tell }: ServerReportOptions,
  host: Host,
): Promise<ExtensionReport> {
  const { transport, mcpRegistry } = existing;
  const given = givenOptions(existing, host);
  return await runWithGuard(host, async (signal) => {
    const report = (line: string) => void host.stderr.write(`${line}\n`);
    const deps = existingDeps(host, { mcpRegistry, signal, report, tell });
    const { server, endpoint } = await prepareEndpoint({ ...named, given, transport }, deps);
    const checked = { path: named.text, name: server.name, endpoint };
    const options = { rules, shared, clients, budget, timeoutMs, signIns: openSignIns(host) };
    return await offeringSignIn(
      host,
      async (signIn) => await validateServer(checked, { ...options, signIn }),
    );
  });
}
