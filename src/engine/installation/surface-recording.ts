import { AgentToolsError } from '../base/errors.js';
import { describeDifference } from '../surface/surface-gate.js';
import { SurfaceRecords } from '../surface/surface-records.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { CheckedStart } from './verification-cache.js';

/** The record of a surface, to be written after the entry. */
interface SurfaceRecording {
  /** Differences from an earlier record, in sentences. */
  readonly notes: readonly string[];
  /** @throws AgentToolsError if the record cannot be written */
  readonly write: () => Promise<void>;
}

/** Most differences that notes name. */
const maxNotes = 20;

/**
 * Compares the surface of a checked server with its record, and asks the user to accept the differences.
 * @throws AgentToolsError if a frozen entry would have no whole record, or the user does not accept the differences
 */
export async function planRecord(
  { surface, absences }: CheckedStart,
  { dryRun, frozen, yes }: InstallRequest,
  { existing, user, report }: InstallDeps,
): Promise<SurfaceRecording> {
  if (frozen && absences.length > 0) {
    const message = `With --frozen, the tools of all servers are recorded, and not all of them could be listed. ${absences.join(' ')}`;
    throw new AgentToolsError('failed', message);
  }
  if (!surface || absences.length > 0) return { notes: [], write: async () => {} };
  const records = new SurfaceRecords(existing.dataFolder);
  let found: Awaited<ReturnType<typeof records.compare>>;
  try {
    found = await records.compare(surface);
  } catch (error) {
    if (frozen || !(error instanceof AgentToolsError)) throw error;
    return { notes: [error.message], write: async () => {} };
  }
  const more = (found?.length ?? 0) - maxNotes;
  const notes = [
    ...(found ?? [])
      .slice(0, maxNotes)
      .map((one) => `Changed since the last record: ${describeDifference(one)}.`),
    ...(more > 0 ? [`${more} more items differ from the record before.`] : []),
  ];
  if (notes.length > 0 && !yes && !dryRun) {
    for (const note of notes) report(note);
    await requireAcceptance(user);
    return { notes: [], write: async () => await records.write(surface) };
  }
  return {
    notes,
    write: async () => (dryRun ? undefined : await records.write(surface)),
  };
}

/** @throws AgentToolsError if the user does not accept the changes */
async function requireAcceptance(user: InstallDeps['user']): Promise<void> {
  if (await user?.confirm('Accept these changes?')) return;
  const advice = user ? 'They were not accepted.' : 'If that is right, use --yes.';
  throw new AgentToolsError('refused', `The server shows other items than the recorded ones. ${advice}`);
}
