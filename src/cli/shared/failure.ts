import { AgentToolsError, type ErrorCode } from '../../engine/base/errors.js';
import { visibleText } from '../../engine/base/visible-text.js';
import { brands, isBranded } from '../../engine/runtime/authoring-symbols.js';
import type { ProtocolError } from '../../engine/runtime/result-builders.js';
import type { Host } from '../../host.js';
import { ExitCode } from './exit-code.js';
import { hasFailed } from './exit-outcome.js';
import { errorFindingsData } from './text/findings.js';
import { renderJson } from './text/json.js';

/** A failure as JSON. The codes and members are documented in `docs/command-line.md`. */
interface FailureData {
  /** A number for the error of a server, as in JSON-RPC. */
  readonly code: ErrorCode | 'internal' | number;
  readonly message: string;
  /** Advice in the message. */
  readonly hint?: string;
}

/** Sentences with advice. */
const advice =
  /^\(?(?:Add|Change|Check|Close|Did you mean|Expected|Fix|For example|Give|If|Install|Known|Leave|List|Name|Remove|Run|Say|See|Set|To|Try|Update|Use|Wait|With|Write)\b|\bagenttools [a-z]/;

/** JSON of a failure. The advice at the end of its message becomes the hint. */
export function failureData(error: unknown): FailureData {
  if (!(error instanceof AgentToolsError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'internal', message, hint: 'Run again with --verbose for the stack.' };
  }
  const { code, cause, message } = error;
  const starts = [...message.matchAll(/(?<=[.?!]["')]?)\s+(?=["'(]?[A-Z])|\n/g)].map(
    (gap) => gap.index + gap[0].length,
  );
  const start = starts.find((from) => advice.test(message.slice(from).split(/(?<=[.?!])\s/, 1)[0]!));
  const data = {
    code,
    message: message.slice(0, start).trimEnd(),
    ...(start !== undefined && { hint: message.slice(start) }),
    ...errorFindingsData(error),
  };
  if (!isBranded(cause, brands.protocolError)) return data;
  const { code: number, message: text, data: more } = cause as ProtocolError;
  return { ...data, code: number, message: text, ...(more !== undefined && { data: more }) };
}

/** The output of a command with `--json` that failed. `more`: further members of the error. */
export function renderFailure(error: unknown, more: object = {}): string {
  return renderJson({ error: { ...failureData(error), ...more } });
}

/**
 * JSON of results. If all of them failed, the first failure. `all`: failures are among the data, as with several clients.
 */
export function renderResults(
  results: readonly object[],
  { all, data }: { readonly all: boolean; readonly data: () => unknown },
): string {
  const failed = results.find((result): result is { readonly error: unknown } => hasFailed(result));
  return failed && !all && results.every(hasFailed) ? renderFailure(failed.error) : renderJson(data());
}

/** Prints a thrown error, and returns the exit code. Messages quote packages and command lines, so invisible characters are escaped. */
export function reportFailure(
  error: unknown,
  { stdout, stderr }: Host,
  { verbose, json }: { readonly verbose: boolean; readonly json: boolean },
): ExitCode {
  if (json) stdout.write(renderFailure(error));
  const stack = verbose && error instanceof Error ? `${formatErrorStack(error)}\n` : '';
  if (error instanceof AgentToolsError) {
    stderr.write(visibleText(`error: ${error.message}\n${stack}`));
    if (error.code === 'interrupted') return ExitCode.Interrupted;
    return error.code === 'usage' ? ExitCode.Usage : ExitCode.Failed;
  }
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine] = message.split('\n');
  const hint = verbose ? '' : '; run again with --verbose for the stack';
  stderr.write(visibleText(`internal error: ${firstLine}${hint}\n${stack}`));
  return ExitCode.Failed;
}

/** Stack of an error, followed by the stacks of its causes. */
function formatErrorStack(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}\ncaused by ${formatErrorStack(error.cause)}` : own;
}
