import { AgentToolsError } from '../../../engine/base/errors.js';
import { watchFolder } from '../../../engine/base/files/watch-folder.js';
import { errorMessage } from '../../../engine/base/thrown-value.js';
import { visibleMessage } from '../../../engine/base/visible-text.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { formatCount } from '../../shared/text/style.js';
import { type Closeable, untilSignal } from '../../shared/until-signal.js';
import type { TestRun } from './renderer.js';
import { type TestReporter, testReporters } from './reporters.js';
import { failedRun, type RunInput, runSubject } from './run-subject.js';
import { findSubjects, type Subject, type SubjectInput } from './subjects.js';

export interface TestInput extends Omit<RunInput, 'filter'>, SubjectInput {
  /** Regular expression. */
  readonly filter: string | undefined;
  readonly reporter: TestReporter;
}

/** Runs test cases and compares the surface. */
export async function testCommand(input: TestInput, host: Host): Promise<ExitCode> {
  const filter = input.filter === undefined ? undefined : readFilter(input.filter);
  const { subjects, skipped, isList } = await findSubjects(input, host);
  if (isList) refuseSingleFlags(input);
  const render = await testReporters[input.reporter]();
  const runAll = async (chosen: readonly Subject[]) => {
    const runs: TestRun[] = [];
    for (const subject of chosen) {
      const run = runSubject(subject, { ...input, filter }, host);
      runs.push(await (isList ? run.catch(async (error) => await toRun(subject, error, host)) : run));
    }
    host.stdout.write(render(runs, { color: host.color, isList, skipped }));
    return runs.every(({ report }) => report.ok) ? ExitCode.Ok : ExitCode.Failed;
  };
  if (!input.watch) return await runAll(subjects);
  await untilSignal(async () => await watchRuns(subjects, runAll, host));
  return ExitCode.Ok;
}

async function toRun(subject: Subject, error: unknown, host: Host): Promise<TestRun> {
  if (!(error instanceof AgentToolsError) || error.code === 'interrupted') throw error;
  return await failedRun(subject, error.message, host);
}

/** @throws AgentToolsError `usage` for options that belong to one package */
function refuseSingleFlags({ server, cases, against }: TestInput): void {
  const given = {
    '--server': server,
    '--cases': cases,
    '--against': against === 'none' ? undefined : against,
  };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag) throw new AgentToolsError('usage', `${flag} is for one package. Name one, or leave ${flag} out.`);
}

/** Runs all at once, and each one after its changes. One run at a time. */
async function watchRuns(
  subjects: readonly Subject[],
  runAll: (chosen: readonly Subject[]) => Promise<ExitCode>,
  { stderr }: Host,
): Promise<Closeable> {
  let running: Promise<void> | undefined;
  const due = new Set(subjects);
  const report = (error: unknown) => void stderr.write(`error: ${visibleMessage(errorMessage(error))}\n`);
  const start = async () => {
    while (due.size > 0) {
      const chosen = subjects.filter((one) => due.delete(one));
      await runAll(chosen).catch(report);
    }
    running = undefined;
    const where = subjects.length > 1 ? ` in ${formatCount(subjects.length, 'package')}` : '';
    stderr.write(`Waiting for changes${where}. Press Ctrl+C to stop.\n`);
  };
  const stops = await Promise.all(
    subjects.map(
      async (subject) =>
        await watchFolder(subject.directory, () => {
          due.add(subject);
          running ??= start();
        }),
    ),
  );
  running = start();
  return {
    close: async () => {
      for (const stop of stops) stop();
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
