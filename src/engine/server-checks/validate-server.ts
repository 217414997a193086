import type { Transport } from '@modelcontextprotocol/client';
import { tellingLine } from '../base/telling-line.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord, isString } from '../base/value-checks.js';
import { visibleMessage } from '../base/visible-text.js';
import { checkBudget, type TokenBudget } from '../compatibility/token-budget.js';
import { measureServer, type ServerCost, type TokenCounter } from '../compatibility/token-cost.js';
import type { Severity } from '../extension/diagnostics.js';
import type { UpstreamEndpoint } from '../extension/upstream-endpoint.js';
import { toPointer } from '../schema/schema-issue.js';
import { type ChildServer, ChildTransport } from '../upstream/child-transport.js';
import { signInWords } from '../upstream/error-text.js';
import { createHttpTransport } from '../upstream/http-transport.js';
import { ServerSignIn, type SignInSource } from '../upstream/remote-sign-in.js';
import type { Severities } from '../validate/rule-settings.js';
import { ruleTable } from '../validate/rules/index.js';
import { couldFind, suppress } from '../validate/suppress.js';
import type { ExtensionReport, LocatedDiagnostic, SharedRules } from '../validate/validate.js';
import { checkSurface, isListedTool, type ServedFault } from './check-surface.js';
import { eraProbes, probeServer } from './probe-server.js';
import type { ServedSurface } from './served-surface.js';

/** A server to check. */
export interface ServerToValidate {
  /** As the user named it. */
  readonly path: string;
  readonly name: string;
  readonly endpoint: UpstreamEndpoint;
}

export interface ServerValidation extends SignInSource {
  /** Ids of clients to check for. Default: only faults that lose tools or descriptions in some client. */
  readonly clients?: ReadonlySet<string> | undefined;
  /** Severity by code; other codes have the severity of the shared settings, or of their rule. */
  readonly rules: Severities;
  /** Severities and suppressions of a shared config. A path of a suppression is a place such as `tool/search`. */
  readonly shared?: SharedRules | undefined;
  /** Budget of tokens, with the counter. Absent: tokens are not counted. */
  readonly budget?: (TokenBudget & { readonly counter: TokenCounter }) | undefined;
  /** Longest wait for one answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** A server slower than this to its first answer is reported; impatient clients give up after ten seconds. */
const slowStartMs = 3000;

/**
 * Longest time for an idle server to exit after its client disconnects.
 * @see MCP 2025-11-25, basic/lifecycle, Shutdown
 */
const exitTimeoutMs = 5000;

/**
 * Starts or reaches a server, speaks both eras of MCP to it, and checks everything that clients see. Calls no tool and
 * reads no resource.
 */
export async function validateServer(
  server: ServerToValidate,
  options: ServerValidation,
): Promise<ExtensionReport> {
  const faults: ServedFault[] = [];
  const surfaces: ServedSurface[] = [];
  const refusals: string[] = [];
  const signIn = 'url' in server.endpoint ? ServerSignIn.open(server.endpoint.url, options) : undefined;
  for (const probe of eraProbes) {
    const connection = connect(server.endpoint, signIn);
    const started = performance.now();
    try {
      const surface = await probeServer(connection.transport, probe, {
        timeoutMs: options.timeoutMs,
        onReady: () => {
          const ms = performance.now() - started;
          if (ms > slowStartMs && surfaces.length === 0)
            faults.push({
              code: 'slow-start',
              place: 'server',
              message: `The server took ${(ms / 1000).toFixed(1)} s to its first answer. Clients may give up: do slow work at the first call.`,
            });
        },
      });
      if (surface) {
        surfaces.push(surface);
        faults.push(...(await checkSurface(surface, { key: server.name, clients: options.clients })));
      } else refusals.push(`it refuses clients of ${probe.era}`);
    } catch (error) {
      const { refusal } = signIn ?? {};
      const reason = refusal ? signInWords(refusal, visibleMessage) : errorMessage(error);
      refusals.push(`to a client of ${probe.era}: ${reason}${connection.failureLine()}`);
    }
    faults.push(...(await connection.end(surfaces.length > 0)));
  }
  if (surfaces.length === 0)
    faults.unshift({
      code: 'boot-failed',
      place: 'server',
      message: `The server does not answer as an MCP server. ${[...new Set(refusals)].join('; ')}.`,
    });
  const [surface] = surfaces;
  const cost = surface && options.budget && measureSurface(server.name, surface, options.budget.counter);
  if (cost && options.budget) faults.push(...budgetFaults(cost, options.budget));
  const { kept, suppressed, unused } = suppress(
    toDiagnostics(faults, options),
    options.shared?.suppressions ?? [],
    ({ code, item, file }) => {
      const [place = '', pointer] = file.split('#');
      return { code, item, file: place, pointer };
    },
  );
  const diagnostics = kept.filter(isOn);
  const names = (method: keyof ServedSurface['lists'], key: string) =>
    (surface?.lists[method].items ?? []).flatMap((item) =>
      isRecord(item) && isString(item[key]) ? [item[key]] : [],
    );
  return {
    path: server.path,
    name: server.name,
    valid: !diagnostics.some(({ severity }) => severity === 'error'),
    protocols: surfaces.map(({ era }) => era),
    servers: surface ? [server.name] : [],
    tools: names('tools/list', 'name'),
    prompts: names('prompts/list', 'name'),
    resources: [...names('resources/list', 'uri'), ...names('resources/templates/list', 'uriTemplate')],
    apps: [],
    ...(cost && { costs: [cost] }),
    diagnostics,
    suppressed: suppressed.flatMap(({ diagnostic, by: { reason } }) =>
      isOn(diagnostic) ? [{ ...diagnostic, suppression: { source: 'config' as const, reason } }] : [],
    ),
    unusedShared: unused.filter(({ code }) =>
      couldFind(code, {
        load: true,
        boots: true,
        compares: false,
        hasClients: options.clients !== undefined,
        hasBudget: options.budget !== undefined,
      }),
    ),
  };
}

type GradedDiagnostic = Omit<LocatedDiagnostic, 'severity'> & { readonly severity: Severity | 'off' };

function isOn(diagnostic: GradedDiagnostic): diagnostic is LocatedDiagnostic {
  return diagnostic.severity !== 'off';
}

function measureSurface(key: string, { lists }: ServedSurface, counter: TokenCounter): ServerCost {
  return measureServer({ key, tools: lists['tools/list'].items.filter(isListedTool) }, counter);
}

function budgetFaults(cost: ServerCost, budget: TokenBudget): ServedFault[] {
  return [...checkBudget(cost, budget)].map(({ tool, ...fault }) =>
    tool === undefined
      ? { ...fault, place: 'server' }
      : { ...fault, place: `tool/${tool}`, item: { kind: 'tool', name: tool } },
  );
}

interface ServerConnection {
  readonly transport: Transport;
  /** The line of stderr that explains a failure, as the end of a sentence; empty without one. */
  readonly failureLine: () => string;
  /** Ends the server, and returns the faults of the process. */
  readonly end: (wasServed: boolean) => Promise<readonly ServedFault[]>;
}

function connect(endpoint: UpstreamEndpoint, signIn: ServerSignIn | undefined): ServerConnection {
  if ('url' in endpoint) {
    const transport = createHttpTransport(endpoint, signIn?.remote);
    const end = async () => {
      await transport.close().catch(() => {});
      return [];
    };
    return { transport, failureLine: () => '', end };
  }
  const transport = new ChildTransport(endpoint satisfies ChildServer);
  return {
    transport,
    failureLine: () => {
      const line = tellingLine(transport.stderr);
      return line === undefined ? '' : `; it wrote to stderr: ${line.slice(0, 300)}`;
    },
    end: async (wasServed) => await endProgram(transport, wasServed),
  };
}

async function endProgram(transport: ChildTransport, wasServed: boolean): Promise<readonly ServedFault[]> {
  const faults: ServedFault[] = [];
  await transport.close();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, exitTimeoutMs, undefined);
  });
  const ending = await Promise.race([transport.ended, late]);
  clearTimeout(timer);
  if (!ending) {
    transport.kill();
    faults.push({
      code: 'unclean-exit',
      place: 'server',
      message: `The server was still running ${exitTimeoutMs / 1000} s after its stdin was closed. Clients then end it by a signal.`,
    });
  } else if (wasServed && ending.code !== 0) {
    const how = ending.signal ? `was ended by ${ending.signal}` : `exited with code ${ending.code}`;
    faults.push({
      code: 'unclean-exit',
      place: 'server',
      message: `The server ${how} after its stdin was closed. Expected code 0.`,
    });
  }
  const [impure] = transport.impureLines;
  if (impure !== undefined)
    faults.push({
      code: 'impure-stdout',
      place: 'server',
      message: `The server writes ${JSON.stringify(impure)} to stdout, which is for MCP messages only. Write it to stderr.`,
    });
  return faults;
}

/** A fault that both eras show is one diagnostic. */
function toDiagnostics(
  faults: readonly ServedFault[],
  { rules, shared }: ServerValidation,
): readonly GradedDiagnostic[] {
  const found = new Map<string, GradedDiagnostic>();
  const chosen = { ...shared?.severities, ...rules };
  for (const { code, message, place, path = [], item, severity: own } of faults) {
    const severity = chosen[code] ?? own ?? ruleTable.find((row) => row.code === code)?.severity ?? 'error';
    const file = path.length === 0 ? place : `${place}#${toPointer(path)}`;
    const key = JSON.stringify([code, file, message]);
    if (found.has(key)) continue;
    found.set(key, {
      code,
      severity,
      message,
      file,
      line: 1,
      column: 1,
      ...(item && { item }),
      help: `agenttools explain ${code}`,
    });
  }
  return [...found.values()];
}
