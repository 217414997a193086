import { canonical } from '../base/canonical-json.js';
import { ExistingRecords } from '../existing-servers/existing-records.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';

interface FollowOptions {
  readonly dataFolder: string;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called with the reference of a version that took the place of the server. Calls do not overlap. */
  readonly onUpdate: (reference: string) => Promise<void>;
}

/** Pause between a change in the folder of records and a look at it, in milliseconds. */
const settleMs = 100;

/** Notices updates of an existing server, which `agenttools update` records. */
export async function followUpdates(
  server: ExistingServer,
  { dataFolder, signal, onUpdate }: FollowOptions,
): Promise<void> {
  const records = new ExistingRecords(dataFolder);
  const factsOf = ({ template, content }: ExistingServer) => canonical([template, content?.sha256]);
  const successorOf = async (reference: string) => await records.successor(reference).catch(() => undefined);
  let current = { reference: server.reference, facts: factsOf(server) };
  // A version that was replaced before may be started on purpose.
  const ignored = await successorOf(server.reference);
  const look = async () => {
    const next = await successorOf(current.reference);
    const reference = next === undefined || next === ignored ? current.reference : next;
    const found = await records.read(reference).catch(() => undefined);
    if (!found || signal.aborted) return;
    const facts = factsOf(found);
    if (reference === current.reference && facts === current.facts) return;
    current = { reference, facts };
    await onUpdate(reference);
  };
  let isScheduled = false;
  let work = Promise.resolve();
  records.watch(() => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      work = work.then(look).catch(() => {});
    }, settleMs).unref();
  }, signal);
}
