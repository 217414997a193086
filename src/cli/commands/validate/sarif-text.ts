import type { Severity } from '../../../engine/extension/diagnostics.js';
import type { RuleRow } from '../../../engine/validate/rules/index.js';
import { pageUrl } from '../../shared/page-url.js';
import { readRulePage } from '../../shared/rule-page.js';
import { renderJson } from '../../shared/text/json.js';
import type { FormatOptions, RenderValidation } from './renderer.js';
import type { FileDiagnostic, ReportedSubject, SuppressedFileDiagnostic } from './validation.js';

/** SARIF log for code scanning. @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export const renderSarif: RenderValidation = async ({ extensions, configs }, options) =>
  renderJson({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'agenttools',
            semanticVersion: options.version,
            rules: await Promise.all(options.rules.map(describeRule)),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [root]: { uri: options.base } },
        results: [...extensions, ...configs].flatMap((subject) => [
          ...subject.diagnostics.map((one) => toResult(one, subject, options)),
          ...subject.suppressed.map((one) => toSuppressedResult(one, subject, options)),
        ]),
      },
    ],
  });

const root = '%SRCROOT%';

const sarifLevels = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>;

/** Values of code scanning. @see https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning */
const problemSeverities = { error: 'error', warning: 'warning', info: 'recommendation' } as const;

async function describeRule({ code, severity, summary }: RuleRow) {
  const { page } = await readRulePage(code);
  const text = page.replace(/^# .*\n+/, '').trimEnd();
  const [family] = code.includes('/') ? code.split('/') : ['extension'];
  return {
    id: code,
    shortDescription: { text: summary },
    fullDescription: { text: introductionOf(text) || summary },
    help: { text: withoutMarkup(text), markdown: withoutRelativeLinks(text) },
    helpUri: pageUrl(`rules/${code}.md`),
    defaultConfiguration: { level: sarifLevels[severity] },
    properties: { tags: [family], 'problem.severity': problemSeverities[severity] },
  };
}

/** The first paragraph after the severity. */
function introductionOf(page: string): string {
  const [first = ''] = page.replace(/^Severity: .*\n+/, '').split(/\n\s*\n/);
  return /^[#`|-]/.test(first) ? '' : withoutMarkup(first).replaceAll('\n', ' ');
}

/** Links to other pages, which are in the package only. */
function withoutRelativeLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\((?!https?:)[^)\s]+\)/g, '$1');
}

/** Plain text. Examples stay as they are. */
function withoutMarkup(markdown: string): string {
  return withoutRelativeLinks(markdown)
    .replace(/^```\w*$\n?/gm, '')
    .replace(/^#+ (.*)$/gm, '$1:')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '$1 ($2)')
    .replace(/`([^`\n]+)`/g, '$1');
}

function toSuppressedResult(
  diagnostic: SuppressedFileDiagnostic,
  subject: ReportedSubject,
  options: FormatOptions,
) {
  const { source, reason } = diagnostic.suppression;
  return {
    ...toResult(diagnostic, subject, options),
    ...(source === 'baseline' && { baselineState: 'unchanged' }),
    suppressions: [{ kind: 'external', status: 'accepted', justification: reason }],
  };
}

function toResult(
  { code, severity, message, url, line, column, item }: FileDiagnostic,
  { name }: ReportedSubject,
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
