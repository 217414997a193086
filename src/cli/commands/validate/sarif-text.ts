import type { Severity } from '../../../engine/extension/diagnostics.js';
import { renderJson } from '../../shared/text/json.js';
import type { FormatOptions, RenderValidation, RuleSummary } from './renderer.js';
import type { FileDiagnostic, ValidatedExtension } from './validation.js';

/** SARIF log for code scanning. @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export const renderSarif: RenderValidation = ({ extensions }, options) =>
  renderJson({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'agenttools',
            semanticVersion: options.version,
            rules: options.rules.map(describeRule),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [root]: { uri: options.base } },
        results: extensions.flatMap((extension) =>
          extension.diagnostics.map((diagnostic) => toResult(diagnostic, extension, options)),
        ),
      },
    ],
  });

const root = '%SRCROOT%';

const sarifLevels = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>;

function describeRule({ code, severity, summary }: RuleSummary) {
  return {
    id: code,
    shortDescription: { text: summary },
    helpUri: `pkg:npm/agenttools#docs/rules/${code}.md`,
    defaultConfiguration: { level: sarifLevels[severity] },
  };
}

function toResult(
  { code, severity, message, url, line, column, item }: FileDiagnostic,
  { name }: ValidatedExtension,
  { rules, base }: FormatOptions,
) {
  const ruleIndex = rules.findIndex((rule) => rule.code === code);
  return {
    ruleId: code,
    ...(ruleIndex !== -1 && { ruleIndex }),
    level: sarifLevels[severity],
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactAt(url, base),
          region: { startLine: line, startColumn: column },
        },
        ...(item && {
          logicalLocations: [
            { name: item.name, fullyQualifiedName: `${name}/${item.name}`, kind: item.kind },
          ],
        }),
      },
    ],
  };
}

/** Relative to the root if the file is below it, otherwise absolute (SARIF 2.1.0, 3.4.3 and 3.4.4). */
function artifactAt(url: string, base: string) {
  return url.startsWith(base) ? { uri: url.slice(base.length), uriBaseId: root } : { uri: url };
}
