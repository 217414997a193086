import { renderJson } from '../../shared/text/json.js';
import type { RenderValidation } from './renderer.js';

/** JSON output for other programs. The shape is a public API. */
export const renderValidationJson: RenderValidation = ({ valid, extensions, errors, warnings }) =>
  renderJson({
    valid,
    extensions: extensions.map(
      ({ path, name, valid, protocols, servers, tools, prompts, resources, apps, costs, diagnostics }) => ({
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
        diagnostics: diagnostics.map(({ code, severity, message, file, line, column, item, help }) => ({
          code,
          severity,
          message,
          file,
          line,
          column,
          ...(item && { item }),
          help,
        })),
      }),
    ),
    errors,
    warnings,
  });
