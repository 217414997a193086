import { visibleText } from '../../../engine/base/visible-text.js';
import type { Client } from '../../../engine/clients/client.js';
import { clientName } from '../../../engine/clients/client-name.js';
import type { ClientTotals, DoctorReport } from '../../../engine/doctor/doctor.js';
import type { Finding } from '../../../engine/doctor/finding.js';
import { renderDiff } from '../../shared/text/diff.js';
import { type ColorOption, formatCount, paint, styleFor } from '../../shared/text/style.js';

interface DoctorRenderOptions extends ColorOption {
  readonly dryRun: boolean;
  /** Undefined: all. */
  readonly clients: readonly Client[] | undefined;
  readonly home: string;
}

/** Repairs, then findings by file, then totals. */
export function renderDoctor(report: DoctorReport, options: DoctorRenderOptions): string {
  const { findings } = report;
  const style = styleFor(options);
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const name = groupOf(finding, options);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(finding);
  }
  const blocks = [...groups].map(
    ([group, list]) => `${style.bold(group)}\n${list.map((one) => renderFinding(one, options)).join('')}`,
  );
  const parts = [repairLines(report, options), ...blocks, summary(report, options)];
  return visibleText(parts.filter((part) => part !== '').join('\n'));
}

/** The client and its file. */
function groupOf({ client, file }: Finding, { home }: DoctorRenderOptions): string {
  const name = client === null ? 'AgentTools' : clientName(client);
  if (file === null) return name;
  return `${name}  ${file.startsWith(home) && home.length > 1 ? `~${file.slice(home.length)}` : file}`;
}

function renderFinding(finding: Finding, options: DoctorRenderOptions): string {
  const { severity, code, line, column, message, fix } = finding;
  const style = styleFor(options);
  const where = line === null ? '' : style.dim(`  ${line}:${column}`);
  const told = message.replaceAll('\n', '\n    ');
  return `  ${paint[severity](style)(severity)}  ${code}${where}\n    ${told}\n    ${style.dim('fix:')} ${fix}\n`;
}

function repairLines({ repairs }: DoctorReport, { dryRun, ...options }: DoctorRenderOptions): string {
  const style = styleFor(options);
  const lines = repairs.map(({ does, file, error }) => {
    const place = file === undefined || error?.message.includes(file) ? '' : ` (${file})`;
    if (error) return `${style.red('Not repaired:')} ${does}${place}: ${error.message}\n`;
    return `${style.green(dryRun ? 'Would repair:' : 'Repaired:')} ${does}${place}\n`;
  });
  return lines.join('');
}

function summary(report: DoctorReport, { dryRun, clients }: DoctorRenderOptions): string {
  const { findings, looked, totals, repairs } = report;
  const { files, entries, started } = looked;
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const { length } = findings.filter((one) => one.severity === severity);
    return length === 0 ? [] : [formatCount(length, severity)];
  });
  const fixable = findings.filter((one) => one.fixable).length;
  const names = clients ? ` ${clients.map(({ id }) => id).join(',')}` : '';
  const next =
    fixable > 0 && !dryRun && repairs.length === 0
      ? [`Repair ${fixable} of them with: agenttools doctor${names} --fix\n`]
      : [];
  const found = counts.length === 0 ? 'Nothing is wrong' : counts.join(', ');
  const scope = `${formatCount(entries, 'server')} in ${formatCount(files, 'config file')}, ${started} started`;
  return [...notStartedLines(report), ...totals.map(totalLine), `${found}: ${scope}.\n`, ...next].join('');
}

/** Most keys in a line. */
const maxKeys = 5;

/** One line for each client and reason. */
function notStartedLines({ notStarted }: DoctorReport): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { client, key, reason } of notStarted) {
    const name = `in ${clientName(client)}: ${reason}`;
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(`"${key}"`);
  }
  return [...groups].map(([name, keys]) => {
    const more = keys.length > maxKeys ? ` and ${keys.length - maxKeys} more` : '';
    return `Not started: ${keys.slice(0, maxKeys).join(', ')}${more} ${name}\n`;
  });
}

function totalLine({ client, servers, tools, tokens }: ClientTotals): string {
  return `${clientName(client)}: ${formatCount(tools, 'tool')} of ${formatCount(servers, 'started server')}, ≈ ${tokens.toLocaleString('en-US')} tokens of each request\n`;
}

/** JSON output of `doctor`. */
export function doctorData(
  { findings, totals, notStarted, repairs, files }: DoctorReport,
  { fix, dryRun }: { readonly fix: boolean; readonly dryRun: boolean },
): object {
  return {
    findings,
    totals,
    notStarted,
    ...((fix || dryRun) && {
      repairs: repairs.map(({ error, ...one }) => ({ ...one, ...(error && { error: error.message }) })),
    }),
    ...(dryRun && { diffs: files.map((one) => ({ file: one.file, diff: renderDiff(one) })) }),
  };
}
