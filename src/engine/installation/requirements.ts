import { joinNames } from '../base/join-names.js';
import { declaredSandbox, describeSandbox } from '../extension/declared-sandbox.js';
import { type Kind, singular } from '../extension/item-kinds.js';
import type { ServerSpec } from '../runtime/compose-server.js';
import { confirmation } from '../runtime/confirm-call.js';
import {
  alternatives,
  describeCapability,
  describeProgram,
  describeVariable,
  findShortfall,
} from '../runtime/requirements.js';
import type { Requirement, Requirements } from '../runtime/specs.js';
import { describeExposures } from '../runtime/upstream-exposure.js';
import { usedUpstreams } from '../runtime/used-upstreams.js';

export interface RequirementInputs {
  /** Known capabilities of the client; undefined: unknown. */
  readonly capabilities: Readonly<Record<string, boolean | undefined>>;
  /** Variables that the entry sets. */
  readonly entryEnv: Readonly<Record<string, string>>;
  /** Variables of the shell that runs `install`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Advice for each kind of missing requirement; an option may follow. */
const requirementHints = {
  capability: undefined,
  variable: 'Give it with',
  handedOn: 'Pass it on with',
  program: 'Install what is missing, or put it on the PATH.',
} as const;

/** Description of a missing requirement, and the option that provides it. */
interface MissingRequirement {
  readonly text: string;
  readonly option?: string;
  readonly wayOut: keyof typeof requirementHints;
  readonly level: Requirements['level'];
}

/** An item with a missing requirement. */
interface DependentItem {
  readonly kind: Kind;
  readonly name: string;
}

/** Requirements that the same items lack. */
interface MissingGroup {
  readonly lacks: readonly MissingRequirement[];
  readonly items: readonly DependentItem[];
}

/**
 * Returns sentences about the unmet requirements of a server. Requirements with the same advice share one
 * sentence, which names the items. `missing` prevents the server from working, `warnings` do not.
 */
export async function checkRequirements(
  spec: ServerSpec,
  facts: RequirementInputs,
): Promise<{ readonly missing: readonly string[]; readonly warnings: readonly string[] }> {
  const lacking = new Map<string, { readonly lack: MissingRequirement; readonly items: DependentItem[] }>();
  for (const { item, requires } of needsIn(spec)) {
    for (const lack of await findMissingRequirements(requires, facts)) {
      const key = JSON.stringify([lack.level, lack.text]);
      const known = lacking.get(key) ?? { lack, items: [] };
      if (!known.items.includes(item)) known.items.push(item);
      lacking.set(key, known);
    }
  }
  const shortages = new Map<string, MissingGroup>();
  for (const { lack, items } of lacking.values()) {
    const key = JSON.stringify([lack.level, lack.wayOut, items]);
    shortages.set(key, { lacks: [...(shortages.get(key)?.lacks ?? []), lack], items });
  }
  const sentences = (level: Requirements['level']) =>
    byWayOut([...shortages.values()].filter(({ lacks }) => lacks[0]!.level === level)).map(describeMissing);
  const warnings = [
    ...sentences('suggested'),
    ...variablesOfUpstreams(spec, facts),
    ...describeExposures(usedUpstreams(spec)),
    ...(await permissionsOf(spec)),
  ];
  return { missing: sentences('required'), warnings };
}

/** Sentences about the permissions that the server declares for its sandbox. */
async function permissionsOf({ extension, qualifiedName }: ServerSpec): Promise<readonly string[]> {
  const { servers } = extension.manifest.declarations;
  const declared = servers.find(({ name }) => extension.qualify(name) === qualifiedName);
  if (!declared) return [];
  return describeSandbox(declared.name, await declaredSandbox(extension, declared.name));
}

/** Requirements of each item. The variables of a tool's upstream are suggested requirements of the tool. */
function needsIn({ registry }: ServerSpec): readonly { item: DependentItem; requires: Requirements }[] {
  const items = [...registry.all('tools'), ...registry.all('prompts'), ...registry.all('resources')];
  return items.flatMap((spec) => {
    const item = { kind: spec.kind, name: spec.name };
    const variables = (spec.kind === 'tools' && spec.upstream?.upstream.variables) || [];
    const upstream: Requirements = { client: [], env: variables, bin: [], level: 'suggested' };
    return [
      { item, requires: spec.requires },
      ...(spec.kind === 'tools' && spec.isConfirmed ? [{ item, requires: confirmation }] : []),
      { item, requires: upstream },
    ];
  });
}

/** Sentences about environment variables of upstreams that the client may not have. */
function variablesOfUpstreams(
  { upstreams }: ServerSpec,
  { entryEnv, env }: Pick<RequirementInputs, 'entryEnv' | 'env'>,
): readonly string[] {
  const needed = upstreams.flatMap(({ upstream: { name, variables = [] } }) =>
    variables.map((variable) => ({ variable, what: `The tools of ${name} need` })),
  );
  const sentences = needed
    .filter(({ variable }) => !entryEnv[variable])
    .map(({ variable, what }) =>
      env[variable]
        ? `${what} ${variable}, which this shell has, but the client may not. Pass it on with: --env ${variable}`
        : `${what} ${describeVariable(variable)}. Give it with: --env ${variable}=<value>`,
    );
  return [...new Set(sentences)];
}

async function findMissingRequirements(
  requires: Requirements,
  { capabilities, entryEnv, env }: RequirementInputs,
): Promise<readonly MissingRequirement[]> {
  const { level } = requires;
  const circumstances = {
    can: (capability: string) => capabilities[capability] !== false,
    env: { ...env, ...entryEnv },
  };
  const shortfall = await findShortfall({ ...requires, level: 'required' }, circumstances);
  const missing = [
    ...shortfall.client.map((name) => ({ text: describeCapability(name), wayOut: 'capability' as const })),
    ...shortfall.env.map((need) => ({
      text: describeVariable(need),
      wayOut: 'variable' as const,
      option: `--env ${alternatives(need)[0]}=<value>`,
    })),
    ...shortfall.bin.map((need) => ({ text: describeProgram(need), wayOut: 'program' as const })),
  ];
  return [
    ...missing.map((lack) => ({ ...lack, level })),
    ...requires.env.flatMap((need) => onlyInShell(need, { entryEnv, env })),
  ];
}

/** A variable that is set in the shell of `install`. The client may not have it. */
function onlyInShell(
  need: Requirement,
  { entryEnv, env }: Pick<RequirementInputs, 'entryEnv' | 'env'>,
): readonly MissingRequirement[] {
  const names = alternatives(need);
  if (names.some((name) => Object.hasOwn(entryEnv, name))) return [];
  const held = names.find((name) => env[name]);
  if (held === undefined) return [];
  const text = `${held}, which this shell has, but the client may not`;
  return [{ text, option: `--env ${held}`, wayOut: 'handedOn', level: 'suggested' }];
}

/** Groups by advice, in the order of first use. */
function byWayOut(shortages: readonly MissingGroup[]): readonly (readonly MissingGroup[])[] {
  const wayOutOf = ({ lacks }: MissingGroup) => lacks[0]!.wayOut;
  return [...new Set(shortages.map(wayOutOf))].map((wayOut) =>
    shortages.filter((shortage) => wayOutOf(shortage) === wayOut),
  );
}

function describeMissing(shortages: readonly MissingGroup[]): string {
  const clauses = shortages.map(describeMissingGroup).join('; ');
  const lacks = shortages.flatMap((shortage) => shortage.lacks);
  const options = [...new Set(lacks.flatMap(({ option }) => option ?? []))];
  const wayOut = requirementHints[lacks[0]!.wayOut];
  const end = wayOut === undefined ? '' : ` ${wayOut}${options.length > 0 ? `: ${options.join(' ')}` : ''}`;
  return `${clauses.charAt(0).toUpperCase()}${clauses.slice(1)}.${end}`;
}

function describeMissingGroup({ lacks, items }: MissingGroup): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  const named = kinds.map((kind) => {
    const names = items.filter((item) => item.kind === kind).map(({ name }) => `"${name}"`);
    return `the ${singular[kind]}${names.length > 1 ? 's' : ''} ${joinNames(names)}`;
  });
  const verb = items.length > 1 ? 'need' : 'needs';
  return `${joinNames(named)} ${verb} ${lacks.map(({ text }) => text).join(', and ')}`;
}
