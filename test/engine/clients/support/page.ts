import { readFileSync } from 'node:fs';
import type { InstallWarning, WritableClient } from '../../../../src/engine/clients/client.js';
import type { RemoteShape } from '../../../../src/engine/clients/remote-shapes.js';
import { writableClients } from '../../../../src/engine/clients/table/index.js';
import { manualClients } from '../../../../src/engine/clients/table/manual-clients.js';
import { remoteShapeOf } from '../../../../src/engine/clients/table/remote-shapes.js';
import { type System, short, surroundingsOf } from './surroundings.js';

const page = readFileSync(new URL('../../../../docs/clients.md', import.meta.url), 'utf8');

/** The cells of the table in a section of the page, row by row. */
export function rowsOf(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

/** The points of the list in a section of the page. */
export function pointsOf(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return text.split('\n').filter((line) => line.startsWith('- '));
}

/** What the page is to say of each client's files. */
export function fileRows(): readonly (readonly string[])[] {
  return writableClients.map((client) => [
    client.name,
    [client.id, ...client.aliases].map(code).join(', '),
    ownFile(client),
    (client.projectFiles ?? []).map(code).join(', ') || '–',
  ]);
}

const names = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' } as const;

function ownFile(client: WritableClient): string {
  const files = (Object.keys(names) as System[]).flatMap((system) => {
    const [file] = client.userFiles(surroundingsOf(system));
    return file === undefined ? [] : [[system, short(file, system)!] as const];
  });
  const [first] = files;
  const isSame = files.length === 3 && files.every(([, file]) => file === first![1]);
  if (isSame) return code(first![1]);
  return files.map(([system, file]) => `${names[system]}: ${code(inWords(file, system))}`).join('<br>');
}

function inWords(file: string, system: System): string {
  if (system !== 'win32') return file;
  const named = file.replace('~/AppData/Roaming', '%APPDATA%').replace('~/AppData/Local', '%LOCALAPPDATA%');
  return named.replace('~', '%USERPROFILE%').replaceAll('/', '\\');
}

/** What the page is to say of each client's entries. */
export function entryRows(): readonly (readonly string[])[] {
  return writableClients.map((client) => [
    code(client.id),
    container(client),
    keys(client),
    client.cwd === undefined ? '–' : code(client.cwd),
    secret(client),
  ]);
}

function container({ container: { path, shape } }: WritableClient): string {
  const where = path.length === 0 ? 'the whole file' : path.map(code).join(' → ');
  return shape === 'list' ? `${where}, a list` : where;
}

function keys({ keys: { takes, reserved = [] } = {} }: WritableClient): string {
  const parts = [
    ...(takes === undefined ? [] : [takes]),
    ...(reserved.length > 0 ? [`not ${reserved.map(code).join(', ')}`] : []),
  ];
  return parts.join('; ') || '–';
}

function secret({ name, secretReference }: WritableClient): string {
  const reference = secretReference?.('NAME', 'key', name);
  if (!reference) return '–';
  if (reference.additions) return 'asks for it';
  return reference.value === undefined
    ? `listed in ${code(Object.keys(reference.fields ?? {})[0]!)}`
    : code(reference.value);
}

/** What the page is to say of each client's entries for remote servers. */
export function remoteRows(): readonly (readonly string[])[] {
  return writableClients.map((client) => {
    const shape = remoteShapeOf(client);
    if (!shape) return [code(client.id), '–', '–', '–'];
    const entry = shape.entry({ url: 'URL', transport: 'http', headers: {} }, 'KEY');
    return [
      code(client.id),
      shape.transports.map((transport) => (transport === 'http' ? 'Streamable HTTP' : 'SSE')).join(', '),
      code(JSON.stringify(entry)),
      headerSecret(client.name, shape),
    ];
  });
}

function headerSecret(client: string, { headerReference }: RemoteShape): string {
  const header = { name: 'Authorization', prefix: 'Bearer ', variable: 'NAME', key: 'key', client };
  const reference = headerReference?.(header);
  if (!reference) return '–';
  if (reference.additions) return 'asks for it';
  const [field] = Object.keys(reference.fields ?? {});
  return reference.value === undefined ? `the variable in ${code(field!)}` : code(reference.value);
}

/** What the page is to say of clients that a person must configure. */
export function manualRows(): readonly (readonly string[])[] {
  return manualClients.map(({ id, name, aliases, manual }) => [
    name,
    [id, ...aliases].map(code).join(', '),
    manual.instructions,
  ]);
}

/** What users are told at install. */
export function cautionPoints(): readonly string[] {
  return writableClients.flatMap(({ id, cautions = [] }) =>
    cautions.map((one) => `- ${code(id)}${where(one)}: ${one.text}`),
  );
}

function where({ scope, applies }: InstallWarning): string {
  if (scope === 'project') return ', in a project';
  return applies ? ', if that is so' : '';
}

function code(text: string): string {
  return `\`${text}\``;
}
