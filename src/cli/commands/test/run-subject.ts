import path from 'node:path';
import { Writable } from 'node:stream';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { errorMessage } from '../../../engine/base/thrown-value.js';
import { isRecord } from '../../../engine/base/value-checks.js';
import { prepareEndpoint } from '../../../engine/bridge/existing-resolver.js';
import { Extension } from '../../../engine/extension/extension.js';
import { isPublishedName } from '../../../engine/extension/names.js';
import {
  type Baseline,
  fileBaseline,
  type NoBaseline,
  publishedBaseline,
} from '../../../engine/testing/release-comparison.js';
import type { SeverityOf } from '../../../engine/testing/run-cases.js';
import { runTests, type TestRequest } from '../../../engine/testing/run-tests.js';
import { existingServers, extensionServers, type OpenServers } from '../../../engine/testing/test-servers.js';
import { readRuleSettings, type Suppression } from '../../../engine/validate/rule-settings.js';
import { findSharedConfig, readSharedConfig, rulesFor } from '../../../engine/validate/shared-config.js';
import type { SharedRules } from '../../../engine/validate/validate.js';
import type { Host } from '../../../host.js';
import { existingDeps, givenOptions, type InputOptions } from '../../shared/existing.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { revealHost } from '../../shared/secrets.js';
import type { TestRun } from './renderer.js';
import type { Subject } from './subjects.js';

/** Options of one run. */
export interface RunInput extends Pick<TestRequest, 'filter' | 'update'> {
  readonly watch: boolean;
  /** Name of the only server to test. */
  readonly server: string | undefined;
  /** Version, file or `none`. */
  readonly against: string | undefined;
  readonly existing: InputOptions;
}

/**
 * Runs the cases of a package or server.
 * @throws AgentToolsError if nothing can be run
 */
export async function runSubject(subject: Subject, input: RunInput, host: Host): Promise<TestRun> {
  const { directory } = subject;
  const output = new Collected();
  const about = 'package' in subject ? await readAbout(subject.package) : { name: subject.server.text };
  const report = await runWithProgress(host, async (signal, tell) => {
    const { env } = await revealHost(host);
    const servers = await openServers(subject, input, { ...host, env }, { output, signal, tell });
    let done = 0;
    const onResult = () => {
      done += 1;
      tell(`${done} cases`);
    };
    const baseline = await findBaseline(subject, about, input, host, signal);
    const { filter, update } = input;
    return await runTests({
      directory,
      servers,
      update,
      filter,
      signal,
      requiresSurface: isCi(host.env),
      onResult,
      ...('version' in about && { version: about.version }),
      ...('severityOf' in about && about.severityOf && { severityOf: about.severityOf }),
      ...(baseline && { baseline }),
    }).finally(async () => await servers.close());
  });
  return { report, name: about.name, prefix: prefixOf(subject, host), output: output.text };
}

/** The report of a run that fails before its cases. */
export async function failedRun(subject: Subject, message: string, host: Host): Promise<TestRun> {
  const name = 'package' in subject ? (await readAbout(subject.package)).name : subject.server.text;
  const report = {
    ok: false,
    files: 0,
    results: [],
    faults: [],
    filtered: 0,
    surface: { state: 'failed', changes: [], message },
    written: [],
    ms: 0,
  } as const;
  return { report, name, prefix: prefixOf(subject, host), output: '' };
}

function prefixOf({ directory }: Subject, { cwd }: Host): string {
  const relative = path.relative(cwd, directory).replaceAll(path.sep, '/');
  return relative === '' ? '' : `${relative}/`;
}

/** CI services set the variable. */
function isCi({ CI }: Host['env']): boolean {
  return CI !== undefined && !['', '0', 'false'].includes(CI);
}

interface About {
  readonly name: string;
  readonly version?: string;
  readonly isPrivate?: boolean;
  readonly severityOf?: SeverityOf;
}

async function readAbout(directory: string): Promise<About> {
  const { name, manifest } = await Extension.open(directory);
  const { value } = manifest.packageJson;
  const isPrivate = isRecord(value) && value.private === true;
  const severityOf = severitiesOf(manifest, await sharedRules(directory));
  return { name, version: manifest.packageVersion, isPrivate, severityOf };
}

/** The rules of the shared config. @throws AgentToolsError `usage` with the place of a fault in it */
async function sharedRules(directory: string): Promise<SharedRules | undefined> {
  const file = findSharedConfig(directory);
  return file === undefined ? undefined : rulesFor(await readSharedConfig(file), directory);
}

/** Settings of a package have precedence over shared ones. */
function severitiesOf({ translation }: Extension['manifest'], shared: SharedRules | undefined): SeverityOf {
  const { severities, suppressions } = readRuleSettings(translation.value.rules);
  const all = [...suppressions, ...(shared?.suppressions ?? [])];
  return (code, tool) =>
    all.some((one) => one.code === code && concerns(one, tool))
      ? 'off'
      : (severities[code] ?? shared?.severities[code]);
}

/** True if a suppression names a tool, or a place in its definition: `tools/<tool>.json` or `tools.json#/<tool>`. */
function concerns({ item, path: place }: Suppression, tool: string): boolean {
  if (item !== undefined && ![tool, `tool/${tool}`].includes(item)) return false;
  if (place === undefined) return true;
  const [file = '', pointer = ''] = place.replaceAll('\\', '/').split('#');
  return path.posix.parse(file).name === tool || pointer.split('/')[1] === tool;
}

interface RunDeps {
  readonly output: Collected;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

async function openServers(
  subject: Subject,
  { server, existing }: RunInput,
  host: Host,
  { output, signal, tell }: RunDeps,
): Promise<OpenServers> {
  const reported = new Set<string>();
  const report = (line: string) => {
    // Each start of a server reports its faults.
    if (!reported.has(line)) output.write(`${line}\n`);
    reported.add(line);
  };
  if ('package' in subject) {
    tell('Starting the servers');
    const servers = await extensionServers(subject.package, {
      server,
      host: { ...host, stderr: output },
      report,
    });
    if (servers.names.length > 0) return servers;
    throw new AgentToolsError(
      'usage',
      `The package has no server${server === undefined ? '' : ` "${server}"`}.`,
    );
  }
  const { transport, mcpRegistry } = existing;
  const deps = existingDeps(host, { mcpRegistry, signal, report, tell });
  const given = givenOptions(existing, host);
  const { server: found, endpoint } = await prepareEndpoint({ ...subject.server, given, transport }, deps);
  tell(`Starting ${found.name}`);
  return await existingServers(found.name, endpoint, (text) => void output.write(text)).catch(
    (error: unknown) => {
      const message = `${found.name} does not answer as an MCP server: ${errorMessage(error)}`;
      throw new AgentToolsError('failed', [message, output.text].join('\n').trimEnd());
    },
  );
}

/** Longest wait for the registry without --against, in milliseconds. */
const patienceMs = 5000;

/**
 * Finds the surface to compare with. Undefined: nothing to compare with.
 * @throws AgentToolsError if the command line names a surface that cannot be read
 */
async function findBaseline(
  subject: Subject,
  { name, isPrivate }: About,
  { against, watch }: RunInput,
  host: Host,
  signal: AbortSignal,
): Promise<(() => Promise<Baseline | NoBaseline>) | undefined> {
  if (against === 'none') return undefined;
  if (against !== undefined && /[\\/]|\.json$/.test(against)) {
    const baseline = await fileBaseline(path.resolve(host.cwd, against), against);
    return async () => baseline;
  }
  const isPublishable = 'package' in subject && !isPrivate && isPublishedName(name);
  if (!isPublishable && against !== undefined)
    throw new AgentToolsError(
      'usage',
      `--against ${against} names a published version, and ${name} is not a package for a registry. Give a snapshot file, such as ./old/agenttools.surface.json.`,
    );
  if (!isPublishable || (against === undefined && watch)) return undefined;
  const limit = AbortSignal.timeout(against === undefined ? patienceMs : 4 * patienceMs);
  const lookup = { name, version: against, npm: npmSetting(host), signal: AbortSignal.any([signal, limit]) };
  if (against === undefined) return async () => await publishedBaseline(lookup);
  const baseline = await publishedBaseline(lookup);
  if ('note' in baseline) throw new AgentToolsError('failed', baseline.note);
  return async () => baseline;
}

/** Keeps the output of servers, at most its end. */
class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.text = (this.text + chunk.toString()).slice(-maxOutput);
    done();
  }
}

const maxOutput = 20_000;
