import type { DocumentPath } from '../base/files/document-path.js';
import type { Severity } from '../extension/diagnostics.js';
import { type ClientLimit, clientLimits, limitSubjects, losesTools } from './client-limits.js';
import type { CompatibilityFinding } from './compatibility-finding.js';
import { compatibilityRules } from './compatibility-rules.js';

/** A finding with the clients that it concerns. */
export interface CompatibilityFault {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly path: DocumentPath;
}

/** Ids of clients and APIs. `undefined`: the default rules, which concern lost tools and lost parts of schemas. */
export type ClientChoice = ReadonlySet<string> | undefined;

/** Rules with their limits. A server with many tools has many findings. */
const byCode = new Map(
  compatibilityRules.map((rule) => [
    rule.code,
    { rule, limits: clientLimits.filter(({ code }) => code === rule.code) },
  ]),
);

/** Most clients that a message describes. */
const maxDescribed = 3;

/** Describes the findings of one tool with their effects in the chosen clients: one fault for each code. */
export function judgeTool(
  findings: Iterable<CompatibilityFinding>,
  clients: ClientChoice,
): readonly CompatibilityFault[] {
  const found = new Map<string, CompatibilityFault[]>();
  for (const finding of findings) {
    const fault = judgeFinding(finding, clients);
    if (fault) found.set(fault.code, [...(found.get(fault.code) ?? []), fault]);
  }
  return [...found.values()].map((faults) => {
    const [first] = faults;
    const others = faults.length - 1;
    const places =
      others === 0 ? '' : ` The same in ${others} other ${others === 1 ? 'place' : 'places'} of the tool.`;
    return { ...first!, message: first!.message + places };
  });
}

/** Describes a finding with its effects in the chosen clients. `undefined`: it has none there. */
export function judgeFinding(
  finding: CompatibilityFinding,
  clients: ClientChoice,
): CompatibilityFault | undefined {
  const known = byCode.get(finding.code);
  const limits =
    known?.limits.filter((limit) => isChosen(limit, clients) && isBreached(limit, finding)) ?? [];
  if (!known || limits.length === 0) return undefined;
  const { rule } = known;
  if (!clients && !limits.some(isSevere)) return undefined;
  return {
    code: finding.code,
    severity: clients ? severityFor(limits) : rule.severity,
    message: `${finding.problem}. ${describeEffects(limits)} ${finding.remedy}`,
    path: finding.path,
  };
}

/** True if a finding breaches a limit of its code. */
export function isBreached(limit: ClientLimit, { measured = 0, concerns }: CompatibilityFinding): boolean {
  const added = Number(limit.scope?.added ?? 0);
  if (limit.limit !== undefined && measured + added <= limit.limit) return false;
  return concerns?.(limit) ?? true;
}

function isChosen({ subject }: ClientLimit, clients: ClientChoice): boolean {
  return clients === undefined || clients.has(subject);
}

/** True for a limit that is reported without a choice of clients: tools are lost, or with a default rule parts of schemas. */
export function isSevere(limit: ClientLimit): boolean {
  if (byCode.get(limit.code)?.rule.isDefault) return losesTools(limit) || limit.effect === 'strip';
  return losesTools(limit) && limit.evidence === 'measured';
}

function severityFor(limits: readonly ClientLimit[]): Severity {
  if (limits.some((limit) => losesTools(limit) && limit.evidence !== 'reported')) return 'error';
  const losesPart = ({ effect }: ClientLimit) => effect === 'strip' || effect === 'truncate';
  return limits.some((limit) => losesTools(limit) || losesPart(limit)) ? 'warning' : 'info';
}

/** The effects as sentences: clients with one effect and limit in one sentence, lost tools first. */
function describeEffects(limits: readonly ClientLimit[]): string {
  const groups = new Map<string, ClientLimit[]>();
  const sorted = [...limits].sort((a, b) => Number(losesTools(b)) - Number(losesTools(a)));
  for (const limit of sorted) {
    const key = `${limit.does} ${limit.limit}`;
    groups.set(key, [...(groups.get(key) ?? []), limit]);
  }
  const shown = [...groups.values()].slice(0, maxDescribed).map(describeGroup);
  const others = groups.size - shown.length;
  return `${shown.join('; ')}${others > 0 ? `; ${others} more` : ''}.`;
}

function describeGroup(group: readonly ClientLimit[]): string {
  const [first] = group;
  const names = group.map(({ subject }) => limitSubjects.find(({ id }) => id === subject)?.name ?? subject);
  const limit = first!.limit ? ` (limit: ${first!.limit.toLocaleString('en-US')} ${first!.unit})` : '';
  const list =
    names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : joinNames(names);
  const [verb, ...rest] = first!.does.split(' ');
  return `${list} ${names.length > 1 ? plural(verb!) : verb} ${rest.join(' ')}${limit}`;
}

function joinNames(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The plural form of an English verb in the third person. */
function plural(verb: string): string {
  if (verb === 'does') return 'do';
  return /(?:sh|ss|x|ch)es$/.test(verb) ? verb.slice(0, -2) : verb.replace(/s$/, '');
}
