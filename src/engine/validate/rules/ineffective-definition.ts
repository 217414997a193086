import { didYouMean } from '../../base/did-you-mean.js';
import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord, type UnknownRecord } from '../../base/value-checks.js';
import { isTemplate } from '../../extension/check-definition.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { backtickAdvice, backtickSlots, templateSlots } from '../../runtime/text-template.js';
import { defineRule, type Rule } from './rule.js';

export const ineffectiveDefinition: Rule = defineRule({
  code: 'ineffective-definition',
  severity: 'warning',
  summary: 'Every part of a definition has an effect, and the one that it appears to have.',
  *check({ items }) {
    for (const { kind, ref, definition, faults } of items) {
      if (!definition || !Object.hasOwn(findIn, kind)) continue;
      // Other faults come first: fixing them may change the parts that have an effect.
      if (faults.some(({ problem }) => problem !== 'unknown')) continue;
      for (const { path, says, isKey } of findIn[kind as keyof typeof findIn](definition.value)) {
        const location = { ...locate(definition, path), ...(isKey && { key: true }) };
        yield { location, item: ref, facts: { what: definitionLabel(definition), says } };
      }
    }
  },
  message: ({ what, says }) => `${what}: ${says}`,
});

interface IneffectivePart {
  readonly path: DocumentPath;
  readonly says: string;
  /** True if the location is the key, not its value. */
  readonly isKey?: boolean;
}

/** Finds parts of definitions without effect, by kind. */
const findIn = {
  *tools({ options, task, taskBegins }: UnknownRecord): Generator<IneffectivePart> {
    if (taskBegins !== undefined && task === undefined) {
      const says = '"taskBegins" has no effect without "task". Add "task": "optional" or "required".';
      yield { path: ['taskBegins'], says, isKey: true };
    }
    if (!isRecord(options)) return;
    for (const [option, held] of Object.entries(options)) {
      if (!isRecord(held) || Object.hasOwn(held, 'default')) continue;
      const slip = Object.keys(held).find((key) => didYouMean(key, ['default']) !== undefined);
      if (slip === undefined) continue;
      const says = `option "${option}" has no "default", so all of it is its value. Did you mean "default" by "${slip}"?`;
      yield { path: ['options', option, slip], says, isKey: true };
    }
  },

  *prompts(value: UnknownRecord): Generator<IneffectivePart> {
    const names = declaredArgumentNames(value);
    yield* literalTexts(value, names);
    yield* unusedArguments(value);
  },

  *resources({ uri, uriTemplate, ...rest }: UnknownRecord): Generator<IneffectivePart> {
    if (uri === undefined || uriTemplate !== undefined) return;
    for (const key of ['list', 'complete']) {
      if (rest[key] === undefined) continue;
      yield {
        path: [key],
        says: `"${key}" is for templates, and ignored beside "uri". Remove it, or write "uriTemplate".`,
        isKey: true,
      };
    }
  },
} satisfies Partial<Record<string, (value: UnknownRecord) => Iterable<IneffectivePart>>>;

function declaredArgumentNames(value: UnknownRecord): readonly string[] {
  const list = Array.isArray(value.arguments) ? value.arguments : [];
  return list.flatMap((entry) => (isRecord(entry) && typeof entry.name === 'string' ? [entry.name] : []));
}

/** Texts that are sent literally, although they look like something else. */
function* literalTexts(value: UnknownRecord, names: readonly string[]): Generator<IneffectivePart> {
  const isText = value.type === 'text';
  if (value.type !== 'function' && typeof value.content === 'string') {
    if (!isText && isModuleReference.test(value.content)) {
      const says =
        '"content" is sent as text, though it looks like a module reference. Write "type": "function", or "type": "text" if text is meant.';
      yield { path: ['content'], says };
    }
    if (!isText) yield* bracesIn(value.content, names, ['content']);
  }
  for (const [index, message] of (Array.isArray(value.messages) ? value.messages : []).entries()) {
    if (!isRecord(message) || typeof message.content !== 'string') continue;
    yield* bracesIn(message.content, names, ['messages', index, 'content']);
  }
}

const isModuleReference = /^\.\.?\/[^\s#]+\.[cm]?[jt]s(?:#[^\s#]+)?$/;

function* bracesIn(text: string, names: readonly string[], path: DocumentPath): Generator<IneffectivePart> {
  const slot = templateSlots(text).find((name) => names.includes(name));
  if (slot === undefined) return;
  const says = `{{${slot}}} is sent literally, because this is text. Write { "template": "…" } to insert the argument.`;
  yield { path, says };
}

/** Arguments that no template uses. Functions are not checked, since their use of arguments is unknown. */
function* unusedArguments(value: UnknownRecord): Generator<IneffectivePart> {
  const pieces = staticContents(value);
  if (!pieces) return;
  const texts = pieces.flatMap((one) =>
    typeof one === 'string' ? [one] : isTemplate(one) ? [one.template] : [],
  );
  // Another rule reports a misspelled slot.
  const names = declaredArgumentNames(value);
  const used = texts.flatMap(templateSlots).map((slot) => didYouMean(slot, names) ?? slot);
  for (const [index, argument] of (value.arguments as readonly unknown[]).entries()) {
    if (!isRecord(argument) || typeof argument.name !== 'string' || used.includes(argument.name)) continue;
    const advice = backtickSlots(value).includes(argument.name)
      ? backtickAdvice(argument.name)
      : 'Add one, or do not declare it.';
    const says = `users fill in "${argument.name}", but no template has a slot {{${argument.name}}}. ${advice}`;
    yield { path: ['arguments', index, 'name'], says };
  }
}

/** The contents of a prompt with arguments, if they are static. */
function staticContents(value: UnknownRecord): readonly unknown[] | undefined {
  if (!Array.isArray(value.arguments)) return undefined;
  if (Array.isArray(value.messages)) {
    return value.messages.flatMap((message) => (isRecord(message) ? message.content : []));
  }
  const isFixed =
    isTemplate(value.content) || (typeof value.content === 'string' && value.type !== 'function');
  return isFixed ? [value.content] : undefined;
}
