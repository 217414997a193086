import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite } from '../base/file-fault.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isStringList, isStringOrNull } from '../base/value-checks.js';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';
import {
  compareSurfaces,
  type Exposure,
  type ModelSurface,
  type SurfaceDifference,
} from './model-surface.js';

/** Version of the file format. */
const version = 1;

/** A surface with the key of its server. */
export interface KeyedSurface {
  /** The qualified name of a server; for an existing server, its reference and the choice of its items. */
  readonly key: string;
  readonly surface: ModelSurface;
}

/** The command that records the surface with a key. `update` knows neither user servers nor commands. */
export function recordingCommand(key: string): string {
  if (!key.startsWith('['))
    return key.includes('/') ? 'agenttools update --load' : 'agenttools install … --frozen';
  const [, reference] = JSON.parse(key) as readonly unknown[];
  const isPublished = typeof reference === 'string' && /^[^\s./~][^\s]*[:/]\S*$/.test(reference);
  return isPublished ? `agenttools update ${reference} --load` : 'agenttools install … --frozen';
}

/** Recorded surfaces in the data folder, by the keys of the servers. `--frozen` serves nothing else. */
export class SurfaceRecords {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'frozen');
  }

  #fileOf(key: string): string {
    // Keys may contain text that looks like a secret.
    return path.join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }

  /** The recorded surface of a server; undefined without a record. @throws AgentToolsError if it cannot be read */
  async read(key: string): Promise<ModelSurface | undefined> {
    const file = this.#fileOf(key);
    const { text } = await readTextFile(file);
    if (text === null) return undefined;
    const surface = parseSurface(text);
    if (surface) return surface;
    const advice = `Delete it and record the items again with "${recordingCommand(key)}", or update AgentTools`;
    throw new AgentToolsError('refused', `${file} is not a record of this version of AgentTools. ${advice}.`);
  }

  /** Differences between a surface and its record; undefined without a record. @throws AgentToolsError as {@link read} */
  async compare({ key, surface }: KeyedSurface): Promise<readonly SurfaceDifference[] | undefined> {
    const before = await this.read(key);
    return before && compareSurfaces(before, surface);
  }

  /** Records the surface of a server. @throws AgentToolsError if it cannot be written */
  async write({ key, surface }: KeyedSurface): Promise<void> {
    const file = this.#fileOf(key);
    await guardWrite(file, async () => {
      await mkdir(this.#folder, { recursive: true });
      await replaceTextFile(await readTextFile(file), formatSurface(surface));
    });
  }
}

/** The surface with its key, as the text of a file. */
export function formatKeyed({ key, surface }: KeyedSurface): string {
  return `${JSON.stringify(key)}\n${formatSurface(surface)}`;
}

/** Reads the text of {@link formatKeyed}; undefined if it is incomplete. */
export function parseKeyed(text: string): KeyedSurface | undefined {
  const [first = '', second = ''] = text.split('\n');
  const surface = parseSurface(second);
  if (!surface) return undefined;
  return { key: JSON.parse(first) as string, surface };
}

function formatSurface({ server, items, skills, exposures, isOutdated }: ModelSurface): string {
  const lists = listedKinds.map((kind) => [kind, Object.fromEntries(items[kind])]);
  const record = {
    version,
    ...(isOutdated && { isOutdated }),
    server,
    items: Object.fromEntries(lists),
    ...(skills && { skills: Object.fromEntries(skills) }),
    exposures,
  };
  return `${JSON.stringify(record)}\n`;
}

function parseSurface(text: string): ModelSurface | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value.version !== version || !isRecord(value.server) || !isRecord(value.items))
    return undefined;
  const { server, items, skills = {}, exposures, isOutdated } = value;
  const lists = listedKinds.map((kind) => [kind, items[kind]] as const);
  const isWhole = [skills, ...lists.map(([, list]) => list)].every(
    (list) => isRecord(list) && Object.values(list).every(isRecord),
  );
  if (
    !isWhole ||
    !isRecord(exposures) ||
    !Object.values(exposures).every((list) => Array.isArray(list) && list.every(isExposure))
  )
    return undefined;
  const maps = lists.map(([kind, list]) => [kind, new Map(Object.entries(list as object))]);
  return {
    server,
    items: Object.fromEntries(maps) as Record<ServedKind, Map<string, Record<string, unknown>>>,
    ...(value.skills !== undefined && {
      skills: new Map(Object.entries(skills as Record<string, Record<string, unknown>>)),
    }),
    exposures: exposures as ModelSurface['exposures'],
    ...(isOutdated === true && { isOutdated }),
  };
}

function isExposure(value: unknown): value is Exposure {
  return isRecord(value) && isStringList(value.variables) && isStringOrNull(value.host);
}
