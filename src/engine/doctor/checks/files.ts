import { visibleLine } from '../../base/visible-text.js';
import { configValueAt } from '../../clients/edit/config-path.js';
import { isMap } from '../../clients/edit/merge-entry.js';
import { writableClients } from '../../clients/table/index.js';
import { fixCommand } from '../commands.js';
import type { Check } from '../finding.js';
import type { ConfigPicture } from '../picture.js';
import { repairText } from '../repairs.js';

/** Files that cannot be opened or parsed. */
export const unreadableFiles: Check = function* ({ configs }) {
  for (const config of configs) {
    if (!config.fault) continue;
    const { message, offset } = config.fault;
    const isOpen = config.text !== null;
    yield {
      code: 'doctor/unreadable-file',
      config,
      ...(offset !== undefined && { offset }),
      message: isOpen ? `${config.client.name} cannot read its file: ${message}` : message,
      fix: isOpen
        ? 'Correct the file at this place. AgentTools changes no file that it cannot parse.'
        : 'Make the file a regular file of UTF-8 text that you can read.',
    };
  }
};

/** Comments, commas and marks that the client's parser rejects. */
export const unsupportedSyntax: Check = function* ({ configs }) {
  for (const config of configs) {
    const { client, unsupported, text } = config;
    const [mark] = unsupported.filter(({ kind }) => kind === 'bom');
    if (mark && text !== null)
      yield {
        code: 'doctor/byte-order-mark',
        config,
        offset: 0,
        message: `The file begins with a byte order mark, which ${client.name} cannot read.`,
        fix: fixCommand(client.id),
        repair: repairText(config, 'Remove the byte order mark', (current) => current.replace(/^\uFEFF/, '')),
      };
    for (const { kind, offset } of unsupported.filter((one) => one.kind !== 'bom')) {
      const isComma = kind === 'comma';
      yield {
        code: 'doctor/unsupported-syntax',
        config,
        offset,
        message: `There is ${isComma ? 'a comma after the last value' : 'a comment'}, which ${client.name} cannot read.`,
        // The author may want to keep the text of a comment.
        fix: isComma ? fixCommand(client.id) : 'Move the comment to another file, or delete it.',
        ...(isComma && { repair: repairText(config, 'Remove the commas', withoutCommas(config)) }),
      };
    }
  }
};

/** Removes the commas that the picture shows. A text that has changed since stays as it is. */
function withoutCommas({ text: seen, unsupported }: ConfigPicture): (text: string) => string {
  const offsets = unsupported.flatMap(({ kind, offset }) => (kind === 'comma' ? [offset] : []));
  return (text) => {
    const isBomGone = seen === `\uFEFF${text}`;
    if (text !== seen && !isBomGone) return text;
    const shift = isBomGone ? 1 : 0;
    return offsets.reduceRight(
      (rest, offset) => rest.slice(0, offset - shift) + rest.slice(offset - shift + 1),
      text,
    );
  };
}

export const duplicateKeys: Check = function* ({ configs }) {
  for (const config of configs)
    for (const { key, offset } of config.duplicates)
      yield {
        code: 'doctor/duplicate-key',
        config,
        offset,
        key,
        message: `The key "${visibleLine(key)}" occurs a second time in its map.`,
        fix: 'Remove or rename one of the two. AgentTools does not know which one you mean.',
      };
};

/** Keys of the servers in the files of all clients. */
const containerKeys = new Set(
  writableClients.flatMap(({ container }) => (container.path.length === 1 ? container.path : [])),
);

/** Servers under the key of another client. Files that several clients share have several keys. */
export const wrongContainers: Check = function* ({ configs }) {
  for (const config of configs) {
    const { client, data, layout, realFile } = config;
    const { path, shape } = layout.container;
    const held = configValueAt(data, path);
    const isFitting = shape === 'list' ? Array.isArray(held) : isMap(held);
    if (held !== undefined && held !== null && !isFitting) {
      yield {
        code: 'doctor/wrong-container',
        config,
        path,
        message: `"${path.join('.') || 'The file'}" is not ${shape === 'list' ? 'a list' : 'a map'} of servers.`,
        fix: `Write the servers as ${shape === 'list' ? 'a list' : 'a map from keys to entries'}.`,
      };
    }
    if (!isMap(data) || held !== undefined) continue;
    const isShared = configs.some((other) => other.realFile === realFile && other.client !== client);
    const [own] = path;
    const wrong = Object.keys(data).find(
      (key) => key !== own && containerKeys.has(key) && holdsServers(data[key]),
    );
    if (wrong === undefined || own === undefined || isShared) continue;
    yield {
      code: 'doctor/wrong-container',
      config,
      path: [wrong],
      key: wrong,
      message: `The servers are under "${wrong}", and ${client.name} reads "${path.join('.')}".`,
      fix: `Rename "${wrong}" to "${path.join('.')}".`,
    };
  }
};

function holdsServers(held: unknown): boolean {
  const entries = isMap(held) ? Object.values(held) : [];
  return entries.some((entry) => isMap(entry) && ('command' in entry || 'url' in entry));
}
