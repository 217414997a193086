import { isRecord, isString } from '../base/value-checks.js';
import type { ServerInput } from '../existing-servers/existing-server.js';
import { type Locate, malformedAt } from './locate.js';

const formats: Readonly<Record<string, ServerInput['format']>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  directory: 'folder',
  file: 'file',
};

/**
 * Inputs of the `user_config` of a manifest, in file order. `expand` replaces the variables of defaults.
 * @throws AgentToolsError `malformed-document` with the position
 */
export function readUserConfig(
  userConfig: Readonly<Record<string, unknown>>,
  { locate, expand }: { readonly locate: Locate; readonly expand: (text: string) => string },
): readonly ServerInput[] {
  return Object.entries(userConfig).map(([key, option]) => {
    const path = ['user_config', key];
    if (!isRecord(option)) throw malformedAt(locate, path, `"${key}" is not an object.`);
    const { type, title, description, required, multiple, sensitive, min, max } = option;
    const format = isString(type) && Object.hasOwn(formats, type) ? formats[type] : undefined;
    if (!format) {
      const message = `"type" of "${key}" is unknown. Expected one of ${Object.keys(formats).join(', ')}.`;
      throw malformedAt(locate, [...path, 'type'], message);
    }
    const isRepeated = multiple === true;
    const preset = readDefault(option.default, isRepeated, expand);
    return {
      id: key,
      givenBy: 'arg',
      name: key,
      ...(isString(title) && { title }),
      ...(isString(description) && { description }),
      isRequired: required === true,
      isSecret: sensitive === true,
      isRepeated,
      format,
      ...(preset !== undefined && { default: preset }),
      ...(typeof min === 'number' && { min }),
      ...(typeof max === 'number' && { max }),
    };
  });
}

/** An empty default means no value. */
function readDefault(
  preset: unknown,
  isRepeated: boolean,
  expand: (text: string) => string,
): ServerInput['default'] {
  const texts = [preset ?? []]
    .flat()
    .filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
    .map((one) => expand(String(one)))
    .filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  return isRepeated ? texts : texts[0];
}
