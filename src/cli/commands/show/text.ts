import type { ChalkInstance } from 'chalk';
import { isRecord, isString } from '../../../engine/base/value-checks.js';
import { visibleLine, visibleText, visibleTexts } from '../../../engine/base/visible-text.js';
import type { InputFacts } from '../../../engine/discovery/existing-facts.js';
import type {
  AppSummary,
  DeclarationFacts,
  DeclaredParameterFacts,
  Facts,
  InstallationFacts,
  LeftOutFacts,
  PromptArgumentFacts,
  PromptSummary,
  PublishedDeclarationFacts,
  ResourceSummary,
  SkillSummary,
  ToolSummary,
  ToolUiFacts,
  ToolUpstreamFacts,
  UpstreamChoiceFacts,
  UpstreamFacts,
} from '../../../engine/discovery/facts.js';
import { findingLine, type TextFinding } from '../../../engine/text-checks/text-findings.js';
import {
  collapseLines,
  declarationRow,
  indentText,
  parameterRows,
  typeName,
} from '../../shared/text/item-rows.js';
import { renderJson } from '../../shared/text/json.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** Renders the facts of a server, package or item for people. */
export function renderFacts(facts: Facts, options: ColorOption): string {
  const style = styleFor(options);
  const heading = 'item' in facts ? 'item' : 'name';
  const shown = Object.entries(facts).filter(
    ([key, value]) => ![heading, 'kind', 'directory'].includes(key) && !isEmptyValue(value),
  );
  const rows = shown.filter(([, value]) => isShort(value));
  const width = Math.max(...rows.map(([key]) => key.length));
  const sections = shown.filter(([, value]) => !isShort(value));
  return [
    `${style.bold(visibleLine(String(Reflect.get(facts, heading))))} (${facts.kind})\n`,
    ...rows.map(([key, value]) => `${style.dim(key.padEnd(width))}  ${visibleText(String(value))}\n`),
    ...sections.map(([key, value]) => `\n${style.bold(key)}\n${renderSection(key, value, style)}`),
  ].join('');
}

/** One property: strings with invisible characters escaped, other values as JSON. */
export function renderValue(value: unknown): string {
  return typeof value === 'string' ? `${visibleText(value)}\n` : renderJson(value);
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function isShort(value: unknown): boolean {
  return typeof value !== 'object' && !String(value).includes('\n');
}

function renderSection(key: string, value: unknown, style: ChalkInstance): string {
  const row = Object.hasOwn(listRows, key) ? listRows[key as keyof typeof listRows] : undefined;
  if (row && Array.isArray(value))
    return value
      .map((entry) =>
        // The items of existing servers are known by their names only.
        isString(entry) && key !== 'notes'
          ? `  ${style.cyan(visibleLine(entry))}\n`
          : row(visibleTexts(entry) as never, style),
      )
      .join('');
  return indentText(renderValue(value), 2);
}

/** Row renderer of each list. Declarations of a package have fewer properties than items of a server. */
const listRows = {
  servers: declarationRow,
  tools: (tool: ToolSummary | PublishedDeclarationFacts, style: ChalkInstance) =>
    'inputSchema' in tool ? toolRow(tool, style) : declarationRow(tool, style) + parametersRows(tool),
  upstreams: (entry: UpstreamFacts, style: ChalkInstance) => upstreamRow(entry, style),
  prompts: (prompt: PromptSummary | PublishedDeclarationFacts, style: ChalkInstance) =>
    declarationRow(prompt, style) + (prompt.arguments ?? []).map(argumentRow).join(''),
  resources: (resource: ResourceSummary | DeclarationFacts, style: ChalkInstance) =>
    declarationRow(resource, style) +
    ('uri' in resource || 'uriTemplate' in resource ? addressRow(resource) : ''),
  apps: (app: AppSummary | DeclarationFacts, style: ChalkInstance) =>
    declarationRow(app, style) + ('uri' in app ? addressRow(app) : ''),
  skills: (skill: SkillSummary, style: ChalkInstance) => declarationRow(skill, style) + addressRow(skill),
  arguments: (argument: PromptArgumentFacts | DeclaredParameterFacts) => argumentRow(argument),
  parameters: (parameter: DeclaredParameterFacts) => argumentRow(parameter),
  inputs: (input: InputFacts) => inputRow(input),
  notes: (note: string) => `  ${visibleLine(note)}\n`,
  installations: ({ client, scope, key, file, sandbox, apps }: InstallationFacts, style: ChalkInstance) => {
    const level = sandbox === null ? '' : `  sandbox: ${visibleLine(sandbox)}`;
    return `  ${style.cyan(client)}  ${scope}  ${visibleLine(key)}  ${visibleLine(file)}${level}${apps ? '' : '  UI apps off'}\n`;
  },
  findings: (finding: Omit<TextFinding, 'hash'>, style: ChalkInstance) =>
    `  ${style.yellow(finding.severity)}  ${findingLine(finding)}\n`,
  leftOut: ({ item, code, message, file }: LeftOutFacts, style: ChalkInstance) =>
    `  ${style.yellow(visibleLine(item))}  ${code}, ${visibleLine(file)}\n${indentText(message, 4)}`,
} as const;

function parametersRows({ parameters }: PublishedDeclarationFacts): string {
  return (parameters ?? []).map(argumentRow).join('');
}

function toolRow(tool: ToolSummary, style: ChalkInstance): string {
  return [
    declarationRow(tool, style),
    parameterRows(tool.inputSchema),
    resultRow(tool.outputSchema),
    tool.ui ? uiRow(tool.ui) : '',
    tool.upstream ? `    answered by: ${formatUpstreamTool(tool.upstream)}\n` : '',
  ].join('');
}

function formatUpstreamTool({ server, tool }: ToolUpstreamFacts): string {
  return `${visibleLine(tool)} of ${visibleLine(server)}`;
}

/** Tools of an upstream are known only after the running server has listed them. */
function upstreamRow(facts: UpstreamFacts, style: ChalkInstance): string {
  const mark = facts.hidden ? ' (hidden)' : '';
  const head = `  tools of ${style.cyan(visibleLine(facts.server))}${mark}\n    ${choiceText(facts)}\n${exposureText(facts)}`;
  const others = upstreamKinds.flatMap((kind) => {
    const choice = facts[kind];
    const isUsual = choice && Object.keys(choice.rename).length === 0 && !choice.prefix && !choice.only;
    if (isUsual && choice.except.length === 0) return [];
    return [`    ${kind}: ${choice ? choiceText(choice) : 'none'}\n`];
  });
  return head + others.join('');
}

function exposureText({ variables, host }: UpstreamFacts): string {
  if (variables.length === 0) return '';
  return `    gets ${visibleLine(variables.join(', '))}${host === null ? '' : `, sent to ${visibleLine(host)}`}\n`;
}

const upstreamKinds = ['prompts', 'resources', 'apps'] as const;

function choiceText({ prefix, only, except, rename }: UpstreamChoiceFacts): string {
  const said = [
    only ? `only ${only.join(', ') || 'none'}` : 'all that it has when it is asked',
    ...(except.length > 0 ? [`not ${except.join(', ')}`] : []),
    ...(prefix === '' ? [] : [`each with ${prefix} before its name`]),
    ...Object.entries(rename).map(([theirs, ours]) => `${theirs} as ${ours}`),
  ];
  return collapseLines(said.join('; '));
}

function uiRow({ uri, visibility, gated }: ToolUiFacts): string {
  const caller = visibility.length === 1 ? [`for the ${visibility[0]} only`] : [];
  return `    ui: ${[...(uri === null ? [] : [uri]), ...(gated ? ['at times'] : []), ...caller].join(', ')}\n`;
}

function resultRow(schema: unknown): string {
  return schema === null ? '' : `    result: ${typeName(schema)}\n`;
}

function argumentRow({ name, description, required }: PromptArgumentFacts | DeclaredParameterFacts): string {
  return `    ${visibleLine(name)}${required ? ' (required)' : ''}${description ? `  ${collapseLines(description)}` : ''}\n`;
}

function inputRow({ name, description, required, secret, default: preset, choices }: InputFacts): string {
  const facts = [
    ...(required ? ['required'] : []),
    ...(secret ? ['secret'] : []),
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(preset === null ? [] : [`default: ${[preset].flat().join(', ')}`]),
  ];
  const mark = facts.length === 0 ? '' : ` (${visibleLine(facts.join('; '))})`;
  return `    ${visibleLine(name)}${mark}${description ? `  ${collapseLines(description)}` : ''}\n`;
}

function addressRow({ uri, uriTemplate }: { readonly uri?: string; readonly uriTemplate?: string }): string {
  return `    ${visibleLine(String(uri ?? uriTemplate))}\n`;
}
