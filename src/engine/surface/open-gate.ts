import type { ComposedServer, SurfaceGate } from '../live/live-server.js';
import { type FrozenExtent, FrozenGate, RecordingGate } from './surface-gate.js';
import { recordingCommand, SurfaceRecords } from './surface-records.js';

export interface GateOptions {
  /** File for the surface, for a program that records it; undefined: no record. */
  readonly file?: string | undefined;
  /** Extent of a refusal if the surface differs from its record; undefined: nothing is refused. */
  readonly frozen?: FrozenExtent | undefined;
  readonly dataFolder: string;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** The gate of a server that is frozen, or started to record its surface. @throws AgentToolsError for an invalid record */
export async function openGate(
  { server, surfaceKey = server.qualifiedName }: ComposedServer,
  { file, frozen, dataFolder, report }: GateOptions,
): Promise<SurfaceGate | undefined> {
  if (file !== undefined) return new RecordingGate(file, surfaceKey);
  if (!frozen) return undefined;
  const record = await new SurfaceRecords(dataFolder).read(surfaceKey);
  return new FrozenGate({ record, extent: frozen, renewal: recordingCommand(surfaceKey), report });
}
