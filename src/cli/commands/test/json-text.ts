import { renderJson } from '../../shared/text/json.js';
import type { RenderReport } from './renderer.js';

/** The report as one JSON object. */
export const renderReportJson: RenderReport = (report, { name, prefix }) => {
  const { ok, results, faults, filtered, surface, release, written, ms } = report;
  return renderJson({
    ok,
    name,
    cases: results.map(({ case: one, era, failures, ms: took }) => ({
      name: one.name,
      ...(era && { era }),
      file: prefix + one.place.file,
      line: one.place.line,
      column: one.place.column,
      ok: failures.length === 0,
      ms: Math.round(took),
      failures,
    })),
    faults: faults.map((fault) => ({ ...fault, file: prefix + fault.file })),
    filtered,
    surface,
    ...(release && { release }),
    written: written.map((file) => prefix + file),
    ms: Math.round(ms),
  });
};
