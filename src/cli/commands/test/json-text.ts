import { renderJson } from '../../shared/text/json.js';
import type { RenderRuns, TestRun } from './renderer.js';

/** The report as one JSON object; several packages in a list. */
export const renderReportJson: RenderRuns = (runs, { isList, skipped }) => {
  const packages = runs.map(toJson);
  if (!isList) return packages.map(renderJson).join('');
  return renderJson({ ok: runs.every(({ report }) => report.ok), packages, skipped });
};

function toJson({ report, name, prefix }: TestRun): object {
  const { ok, results, faults, filtered, surface, release, written, ms } = report;
  return {
    ok,
    name,
    cases: results.map(({ case: one, era, failures, warnings, ms: took }) => ({
      name: one.name,
      ...(era && { era }),
      file: prefix + one.place.file,
      line: one.place.line,
      column: one.place.column,
      ok: failures.length === 0,
      ms: Math.round(took),
      failures,
      ...(warnings.length > 0 && { warnings }),
    })),
    faults: faults.map((fault) => ({ ...fault, file: prefix + fault.file })),
    filtered,
    surface,
    ...(release && { release }),
    written: written.map((file) => prefix + file),
    ms: Math.round(ms),
  };
}
