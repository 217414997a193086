import { metrics } from './measurements.mjs';

/** What was measured with what. */
export function factsText({ cores, processor, system, node, client, versions }) {
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `Servers on Node ${node}, client on Node ${client}, ${cores} cores (${processor}), ${system}\n${packages.join(', ')}\n`;
}

/** A table for each measurement, then one of all medians; Markdown, so that a run can go into README.md as it is. */
export function tables(results) {
  return [...results.map(detailTable), summaryTable(results)].join('');
}

function detailTable({ title, group, rounds, contestants }) {
  const shown = metrics[group].filter(({ key }) => contestants.some((contestant) => contestant[key]));
  const head = shown.flatMap(({ unit, showsSpread }) => [
    unit,
    ...(showsSpread ? ['quartiles'] : []),
    'vs SDK',
  ]);
  const rows = contestants.map((contestant) => [
    contestant.label,
    ...shown.flatMap((metric) => cells(contestant[metric.key], metric)),
  ]);
  return `\n**${title}** (${rounds} rounds)\n\n${markdown([['', ...head], ...rows])}`;
}

function cells(summary, { digits, showsSpread }) {
  if (!summary) return showsSpread ? ['', '', ''] : ['', ''];
  const { median, quartiles, ratio } = summary;
  const spread = quartiles.map((number) => number.toFixed(digits)).join('–');
  return [median.toFixed(digits), ...(showsSpread ? [spread] : []), timesOf(ratio)];
}

/** A row for each number, a column for each contestant. */
function summaryTable(results) {
  const labels = new Map(
    results.flatMap(({ contestants }) => contestants.map(({ id, label }) => [id, label])),
  );
  const rows = results.flatMap(({ group, brief, contestants }) =>
    metrics[group]
      .filter(({ inSummary }) => inSummary)
      .map(({ key, unit, digits }) => [
        `${brief}, ${unit}`,
        ...[...labels.keys()].map((id) => {
          const summary = contestants.find((contestant) => contestant.id === id)?.[key];
          return summary ? `${summary.median.toFixed(digits)} ${timesOf(summary.ratio)}`.trim() : '';
        }),
      ]),
  );
  return `\n**Medians, and how they compare with the SDK**\n\n${markdown([['', ...labels.values()], ...rows])}`;
}

function timesOf(ratio) {
  return ratio === undefined ? '' : `${ratio.toFixed(2)}×`;
}

function markdown([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(' | ')} |\n`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return line(head) + line(rule) + rows.map(line).join('');
}
