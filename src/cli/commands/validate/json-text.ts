import { renderJson } from '../../shared/text/json.js';
import type { RenderValidation } from './renderer.js';
import type { FileDiagnostic, SuppressedFileDiagnostic } from './validation.js';

/** JSON output for other programs. The shape is a public API. */
export const renderValidationJson: RenderValidation = (validation) => {
  const { valid, extensions, configs, errors, warnings, suppressed, known } = validation;
  const { skipped, baselines, fixed } = validation;
  return renderJson({
    valid,
    extensions: extensions.map((extension) => {
      const { path, name, valid, protocols, servers, tools, prompts, resources, apps, costs } = extension;
      return {
        path,
        name,
        valid,
        ...(protocols && { protocols }),
        servers,
        tools,
        prompts,
        resources,
        apps,
        ...(costs && { costs }),
        diagnostics: extension.diagnostics.map(toJson),
        ...(extension.suppressed.length > 0 && { suppressed: extension.suppressed.map(suppressedToJson) }),
      };
    }),
    ...(configs.length > 0 && {
      configs: configs.map(({ path, name, diagnostics }) => ({
        path,
        name,
        diagnostics: diagnostics.map(toJson),
      })),
    }),
    errors,
    warnings,
    ...(suppressed > 0 && { suppressed, inBaseline: known }),
    ...(skipped.length > 0 && { skipped }),
    ...(baselines.length > 0 && { baselines }),
    ...(fixed.length > 0 && { fixed }),
  });
};

function toJson({ code, severity, message, file, line, column, pointer, item, fix, help }: FileDiagnostic) {
  return {
    code,
    severity,
    message,
    file,
    line,
    column,
    ...(pointer !== undefined && { pointer }),
    ...(item && { item }),
    ...(fix && { fix: fix.what }),
    help,
  };
}

function suppressedToJson({ suppression, ...diagnostic }: SuppressedFileDiagnostic) {
  return { ...toJson(diagnostic), suppression };
}
