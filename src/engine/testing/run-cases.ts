import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { forEachLimited } from '../base/concurrency.js';
import { errorMessage } from '../base/thrown-value.js';
import { limitSubjects } from '../compatibility/client-limits.js';
import type { CompatibilityFault } from '../compatibility/judge-findings.js';
import { judgeResult } from '../compatibility/result-checks.js';
import type { Severity } from '../extension/diagnostics.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Era } from '../protocol/eras.js';
import type { CaseSnapshots } from './case-snapshots.js';
import { type Answer, checkAnswer, type Failure, missingNotification, valuesOf } from './check-answer.js';
import { FakeUser } from './fake-user.js';
import type { TestTarget } from './served-target.js';
import type { LoadedCase, TestCase } from './test-case.js';
import type { ClientConnection, ClientIdentity } from './test-client.js';
import { differencesFrom } from './value-match.js';

/** Servers under test. A server without a setting starts once and is shared. */
export interface TestServers {
  /** Names, in the order of the package. */
  readonly names: readonly string[];
  /** Protocols that the servers speak. */
  readonly eras: readonly Era[];
  /** Most connections at the same time. */
  readonly atOnce: number;
  /** Starts a server, or returns the shared one. */
  open(name: string, setting?: ServerSetting): Promise<TestTarget>;
}

/** Variables and options of a server, in addition to the ones of the test run. */
export interface ServerSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: JsonObject;
}

/** Outcome of a case in one era. */
export interface CaseResult {
  readonly case: LoadedCase;
  /** Absent if the case has no server. */
  readonly era?: Era;
  readonly failures: readonly Failure[];
  /** Faults of the result in client apps. */
  readonly warnings: readonly CompatibilityFault[];
  /** Duration in milliseconds. */
  readonly ms: number;
}

export interface RunOptions {
  readonly snapshots: CaseSnapshots;
  /** Keeps the results of cases as their snapshots. */
  readonly update: boolean;
  readonly signal: AbortSignal;
  /** The severity that the author has set for a code at a tool. An error is a failure. */
  readonly severityOf?: SeverityOf;
  /** Called with each result. */
  readonly onResult?: (result: CaseResult) => void;
}

export type SeverityOf = (code: string, tool: string) => Severity | 'off' | undefined;

const defaultTimeoutMs = 10_000;

/**
 * Runs cases against servers: all cases with the same server, variables and options against one server process, several at
 * the same time. Results have the order of the cases. Failures are data.
 */
export async function runCases(
  cases: readonly LoadedCase[],
  servers: TestServers,
  options: RunOptions,
): Promise<readonly CaseResult[]> {
  const results = new Map<LoadedCase, CaseResult[]>();
  const keep = (result: CaseResult) => {
    results.set(result.case, [...(results.get(result.case) ?? []), result]);
    options.onResult?.(result);
  };
  const placed = await placeCases(cases, servers, keep);
  await forEachLimited(groupCases(placed), serversAtOnce, async (group) => {
    const [first] = group;
    if (!first) return;
    let target: TestTarget;
    try {
      target = await servers.open(first.server, settingOf(first.case));
    } catch (error) {
      for (const { case: one } of group)
        keep({
          case: one,
          failures: [{ message: `The server did not start: ${errorMessage(error)}` }],
          warnings: [],
          ms: 0,
        });
      return;
    }
    const runs = group.flatMap(({ case: one }) =>
      erasOf(one, servers.eras).map((era) => ({ case: one, era })),
    );
    await forEachLimited(runs, servers.atOnce, async (run) => {
      if (options.signal.aborted) return;
      keep(await runCase(run.case, run.era, target, options));
    });
    await target.close();
  });
  const place = ({ era }: CaseResult) => (era ? servers.eras.indexOf(era) : 0);
  return cases.flatMap(
    (one) =>
      results.get(one)?.sort((first, second) => place(first) - place(second)) ?? [
        { case: one, failures: [{ message: 'The case did not run.' }], warnings: [], ms: 0 },
      ],
  );
}

/** Most servers at the same time: each has a process. */
const serversAtOnce = 2;

interface PlacedCase {
  readonly case: LoadedCase;
  readonly server: string;
}

/** Finds the server of each case. Reports cases of unknown servers. */
async function placeCases(
  cases: readonly LoadedCase[],
  { names, open }: TestServers,
  report: (result: CaseResult) => void,
): Promise<readonly PlacedCase[]> {
  const [first = ''] = names;
  const isOpen = cases.some(({ server }) => server === undefined) && names.length > 1;
  const listed = isOpen ? await Promise.all(names.map(async (name) => await listItems(name, open))) : [];
  return cases.flatMap((one): PlacedCase[] => {
    if (one.server === undefined) {
      const item = itemKey(one);
      const found = listed.find(({ items }) => items.has(item));
      return [{ case: one, server: found?.name ?? first }];
    }
    const named = names.find((name) => name === one.server || name.endsWith(`/${one.server}`));
    if (named !== undefined) return [{ case: one, server: named }];
    const message = `There is no server "${one.server}". Servers: ${names.join(', ')}.`;
    report({ case: one, failures: [{ message }], warnings: [], ms: 0 });
    return [];
  });
}

async function listItems(name: string, open: TestServers['open']) {
  const items = new Set<string>();
  const target = await open(name).catch(() => undefined);
  try {
    const connection = await target?.connect({
      era: 'modern',
      user: new FakeUser(),
      timeoutMs: defaultTimeoutMs,
    });
    for (const tool of (await connection?.list('tools')) ?? []) items.add(`tool ${String(tool.name)}`);
    for (const prompt of (await connection?.list('prompts')) ?? [])
      items.add(`prompt ${String(prompt.name)}`);
    for (const resource of (await connection?.list('resources')) ?? [])
      items.add(`resource ${String(resource.uri)}`);
    for (const template of (await connection?.list('resourceTemplates')) ?? [])
      items.add(`resource ${String(template.uriTemplate)}`);
  } finally {
    await target?.close();
  }
  return { name, items };
}

function itemKey({ tool, prompt, resource, complete }: TestCase): string {
  if (tool !== undefined) return `tool ${tool}`;
  const named = prompt ?? complete?.prompt;
  return named === undefined ? `resource ${resource ?? complete?.resource ?? ''}` : `prompt ${named}`;
}

/** Cases with the same server, variables and options. */
function groupCases(placed: readonly PlacedCase[]): Iterable<readonly PlacedCase[]> {
  const groups = new Map<string, PlacedCase[]>();
  for (const one of placed) {
    const key = JSON.stringify([one.server, settingOf(one.case)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups.values();
}

function settingOf({ env, options, tool }: TestCase): ServerSetting | undefined {
  if (!env && !options) return undefined;
  return { ...(env && { env }), ...(options && tool !== undefined && { options: { [tool]: options } }) };
}

function erasOf({ era = 'both' }: TestCase, spoken: readonly Era[]): readonly Era[] {
  // An era that is asked for is tried in any case: it then fails as it does for a client.
  return era === 'both' ? spoken : [era];
}

async function runCase(
  one: LoadedCase,
  era: Era,
  target: TestTarget,
  options: RunOptions,
): Promise<CaseResult> {
  const started = performance.now();
  const { timeoutMs = defaultTimeoutMs, tool, elicit, sample, roots, expect = {} } = one;
  const user = new FakeUser({
    ...(elicit && { elicit }),
    ...(sample && { sample }),
    ...(roots && { roots }),
  });
  const expected = expect.notifications ?? [];
  const failures: Failure[] = [];
  const warnings: CompatibilityFault[] = [];
  let connection: ClientConnection | undefined;
  try {
    const listens = expected.some(({ changed }) => changed !== undefined);
    connection = await target.connect({ era, client: identityOf(one), user, timeoutMs, listens });
    const answer = await ask(connection, one, timeoutMs);
    failures.push(...(await checkAnswer(answer, one, era)));
    if ('result' in answer && tool !== undefined)
      for (const fault of judgeResult(answer.result)) {
        const severity = options.severityOf?.(fault.code, tool);
        if (severity === 'error') failures.push({ message: `${fault.message} (${fault.code})` });
        else if (severity !== 'off') warnings.push(fault);
      }
    if ('result' in answer && expect.snapshot && failures.length === 0)
      failures.push(...(await checkSnapshot(answer.result, one, era, options)));
    const { notifications } = connection;
    const isMissing = () => missingNotification(expected, notifications);
    // Changes of lists may come after the answer; progress and log messages come before it.
    if (isMissing()?.changed) await connection.waitFor(() => !isMissing()?.changed, timeoutMs);
    const missing = isMissing();
    if (missing)
      failures.push({
        message: `The notification ${JSON.stringify(missing)} did not come, or not in this order. Received: ${notifications.map(({ method, params }) => `${method} ${JSON.stringify(withoutToken(params))}`).join(', ') || 'none'}.`,
      });
  } catch (error) {
    failures.push({ message: errorMessage(error) });
  }
  for (const message of [...user.faults, ...user.unasked()]) failures.push({ message });
  if (connection) await target.release(connection);
  return { case: one, era, failures, warnings, ms: performance.now() - started };
}

function withoutToken({ progressToken: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** The client of a case. The id of a client app means the name that this app sends. */
function identityOf({ client }: TestCase): ClientIdentity | undefined {
  const identity = typeof client === 'string' ? { name: client } : client;
  if (identity?.name === undefined) return identity;
  const subject = limitSubjects.find(({ id }) => id === identity.name);
  const [known] = subject?.clientNames ?? [];
  return { ...identity, name: known?.replace(/\*$/, '') ?? identity.name };
}

/** Sends the request of a case. @throws Error without an answer */
async function ask(connection: ClientConnection, one: TestCase, timeoutMs: number): Promise<Answer> {
  try {
    if (one.list !== undefined) return { result: { [one.list]: await connection.list(one.list) } };
    const { method, params } = requestOf(one);
    const { _meta: _, resultType: __, ...result } = await connection.request(method, params, timeoutMs);
    return { result };
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
      throw new Error(`The server gave no answer within ${timeoutMs / 1000} s.`, { cause: error });
    if (!ProtocolError.isInstance(error)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

function requestOf({ tool, prompt, resource, complete, arguments: args = {} }: TestCase): {
  readonly method: string;
  readonly params: JsonObject;
} {
  if (tool !== undefined) return { method: 'tools/call', params: { name: tool, arguments: args } };
  if (prompt !== undefined) return { method: 'prompts/get', params: { name: prompt, arguments: args } };
  if (resource !== undefined) return { method: 'resources/read', params: { uri: resource } };
  const { argument = '', value = '', arguments: filled } = complete ?? {};
  const ref =
    complete?.prompt === undefined
      ? { type: 'ref/resource', uri: complete?.resource }
      : { type: 'ref/prompt', name: complete.prompt };
  const context = filled && { context: { arguments: filled } };
  return { method: 'completion/complete', params: { ref, argument: { name: argument, value }, ...context } };
}

/** Compares with the snapshot of the case, or keeps the result for it. */
async function checkSnapshot(
  result: JsonObject,
  one: LoadedCase,
  era: Era,
  { snapshots, update }: RunOptions,
): Promise<readonly Failure[]> {
  const forms = valuesOf(result, one, era).map((value) =>
    result.structuredContent === undefined ? result : { ...result, structuredContent: value },
  );
  if (update) {
    snapshots.keep(one.place.file, one.name, forms.at(-1));
    return [];
  }
  const before = await snapshots.find(one.place.file, one.name);
  if (before === undefined)
    return [{ message: 'The case has no snapshot. Write it with: agenttools test --update' }];
  const [fewest = []] = forms
    .map((form) => [...differencesFrom(before, form)])
    .sort((first, second) => first.length - second.length);
  return fewest.length === 0
    ? []
    : [{ message: 'The result differs from its snapshot.', differences: fewest }];
}
