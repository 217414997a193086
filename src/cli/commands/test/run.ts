import { existsSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { watchFolder } from '../../../engine/base/files/watch-folder.js';
import { errorMessage } from '../../../engine/base/thrown-value.js';
import { isRecord } from '../../../engine/base/value-checks.js';
import { visibleMessage } from '../../../engine/base/visible-text.js';
import { prepareEndpoint } from '../../../engine/bridge/existing-resolver.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import { Extension } from '../../../engine/extension/extension.js';
import { isPublishedName } from '../../../engine/extension/names.js';
import {
  type Baseline,
  fileBaseline,
  type NoBaseline,
  publishedBaseline,
} from '../../../engine/testing/release-comparison.js';
import { runTests, type TestRequest } from '../../../engine/testing/run-tests.js';
import { existingServers, extensionServers, type OpenServers } from '../../../engine/testing/test-servers.js';
import type { Host } from '../../../host.js';
import { existingDeps, findExisting, givenOptions, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { refuseExistingFlags } from '../../shared/not-existing.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { revealHost } from '../../shared/secrets.js';
import { type Closeable, untilSignal } from '../../shared/until-signal.js';
import { type TestReporter, testReporters } from './reporters.js';

export interface TestInput {
  /** Package folder or existing server. Default: the working directory. */
  readonly path: string | undefined;
  /** Command of an existing server. */
  readonly command: readonly string[] | undefined;
  /** Regular expression. */
  readonly filter: string | undefined;
  readonly update: boolean;
  readonly reporter: TestReporter;
  readonly watch: boolean;
  /** Name of the only server to test. */
  readonly server: string | undefined;
  /** Folder of the cases. */
  readonly cases: string | undefined;
  /** Version, file or `none`. */
  readonly against: string | undefined;
  readonly existing: InputOptions;
}

/** Runs test cases and compares the surface. */
export async function testCommand(input: TestInput, host: Host): Promise<ExitCode> {
  const filter = input.filter === undefined ? undefined : readFilter(input.filter);
  const subject = await findSubject(input, host);
  const runOnce = async () => await run(subject, { ...input, filter }, host);
  if (!input.watch) return await runOnce();
  await untilSignal(async () => await watchRuns(subject.directory, runOnce, host));
  return ExitCode.Ok;
}

/** Runs at once and after each change, one run at a time. */
async function watchRuns(
  directory: string,
  runOnce: () => Promise<ExitCode>,
  { stderr }: Host,
): Promise<Closeable> {
  let running: Promise<void> | undefined;
  let isChanged = false;
  const report = (error: unknown) => void stderr.write(`error: ${visibleMessage(errorMessage(error))}\n`);
  const start = async () => {
    do {
      isChanged = false;
      await runOnce().catch(report);
    } while (isChanged);
    running = undefined;
    stderr.write('Waiting for changes. Press Ctrl+C to stop.\n');
  };
  const stop = await watchFolder(directory, () => {
    isChanged = true;
    running ??= start();
  });
  running = start();
  return {
    close: async () => {
      stop();
      await running;
    },
  };
}

/** @throws AgentToolsError `usage` */
function readFilter(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch {
    throw new AgentToolsError('usage', `--filter ${text} is not a regular expression.`);
  }
}

/** A package, or an existing server with a folder for its cases. */
type Subject = { readonly directory: string } & (
  | { readonly package: string }
  | { readonly server: NamedReference }
);

/** @throws AgentToolsError if there is no such package or server */
async function findSubject(
  { path: word, command, cases, existing }: TestInput,
  host: Host,
): Promise<Subject> {
  const folder = cases === undefined ? undefined : path.resolve(host.cwd, cases);
  const server =
    command || (word !== undefined && mayBeExisting(word))
      ? await findExisting(word, command, host)
      : undefined;
  if (server) return { directory: folder ?? host.cwd, server };
  refuseExistingFlags(existing.flags, { command: 'test', server: word });
  const root = path.resolve(host.cwd, word ?? '.');
  if (!existsSync(root)) throw new AgentToolsError('usage', `There is no folder ${root}.`);
  if (!existsSync(path.join(root, 'package.json')))
    throw new AgentToolsError(
      'usage',
      `There is no package.json in ${root}. Give the folder of an extension.`,
    );
  return { directory: folder ?? root, package: root };
}

type RunInput = Omit<TestInput, 'filter'> & Pick<TestRequest, 'filter'>;

async function run(subject: Subject, input: RunInput, host: Host): Promise<ExitCode> {
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
      onResult,
      ...('version' in about && { version: about.version }),
      ...(baseline && { baseline }),
    }).finally(async () => await servers.close());
  });
  const render = await testReporters[input.reporter]();
  const relative = path.relative(host.cwd, directory).replaceAll(path.sep, '/');
  const prefix = relative === '' ? '' : `${relative}/`;
  host.stdout.write(render(report, { color: host.color, name: about.name, prefix, output: output.text }));
  return report.ok ? ExitCode.Ok : ExitCode.Failed;
}

interface About {
  readonly name: string;
  readonly version?: string;
  readonly isPrivate?: boolean;
}

async function readAbout(directory: string): Promise<About> {
  const { name, manifest } = await Extension.open(directory);
  const { value } = manifest.packageJson;
  const isPrivate = isRecord(value) && value.private === true;
  return { name, version: manifest.packageVersion, isPrivate };
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
  const report = (line: string) => void output.write(`${line}\n`);
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
