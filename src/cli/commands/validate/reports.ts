import { ownProgram } from '../../../engine/base/folders.js';
import type { TokenBudget } from '../../../engine/compatibility/token-budget.js';
import type { TokenCounter } from '../../../engine/compatibility/token-cost.js';
import type { LoadCode } from '../../../engine/extension/extension.js';
import type { Manifest } from '../../../engine/extension/manifest.js';
import type { BootOptions, BootReport } from '../../../engine/preflight/boot-extension.js';
import { Inspector, type ModuleParser } from '../../../engine/validate/inspector.js';
import type { Severities } from '../../../engine/validate/rule-settings.js';
import {
  type ExtensionReport,
  type SharedRules,
  validateExtension,
} from '../../../engine/validate/validate.js';
import type { Host } from '../../../host.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { openWorkspace } from '../../shared/workspace.js';

export interface ReportOptions {
  /** True if code of the extension may run. */
  readonly load: boolean;
  /** True if each server is also started. */
  readonly boot: boolean;
  /** True if `initialize` hooks run in the started servers. */
  readonly initialize: boolean;
  /** True if the version is compared with the last published one. */
  readonly release: boolean;
  /** True if references to other packages must resolve. */
  readonly resolve: boolean;
  readonly rules: Severities;
  /** Rules of the shared config. */
  readonly shared: SharedRules | undefined;
  /** Clients to check for. Default: only faults that lose tools or descriptions in some client. */
  readonly clients: ReadonlySet<string> | undefined;
  /** Budget of tokens, with the counter. Absent: tokens are not counted. */
  readonly budget: (TokenBudget & { readonly counter: TokenCounter }) | undefined;
  readonly timeoutMs: number;
  /** Shared by all extensions of one run. */
  readonly parser: ModuleParser;
}

/** Validates the extension in a folder. @throws AgentToolsError `usage` if the folder has no package. */
export async function reportOn(
  directory: string,
  { boot, initialize: initializes, release, parser, ...options }: ReportOptions,
  host: Host,
): Promise<ExtensionReport> {
  const { timeoutMs } = options;
  return await validateExtension(directory, {
    ...options,
    workspace: (loadCode: LoadCode) => openWorkspace(host, loadCode),
    openInspector: (limits) => new Inspector({ ...limits, parser }),
    ...(release && {
      release: async (manifest) => {
        const { releaseDiagnostics } = await import('../../../engine/testing/release-diagnostics.js');
        const signal = AbortSignal.timeout(registryTimeLimitMs);
        return await releaseDiagnostics(manifest, { npm: npmSetting(host), signal });
      },
    }),
    ...(boot && {
      boot: async (manifest, checkServed) => {
        const { diagnostics, surfaces } = await bootForReport(manifest, { timeoutMs, initializes }, host);
        const found = await Promise.all(
          surfaces.map(({ server, surface: { server: texts, items } }) =>
            checkServed({ server, texts, items }),
          ),
        );
        return [...diagnostics, ...found.flat()];
      },
    }),
  });
}

/** Longest wait for the registry, since the user waits for it. */
const registryTimeLimitMs = 20_000;

async function bootForReport(
  manifest: Manifest,
  limits: Pick<BootOptions, 'timeoutMs' | 'initializes'>,
  host: Host,
): Promise<BootReport> {
  const { bootExtension } = await import('../../../engine/preflight/boot-extension.js');
  return await bootExtension(manifest, { ...ownProgram(), cwd: host.cwd, env: host.env, ...limits });
}
