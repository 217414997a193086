import type { Obtain } from '../extension/obtain.js';
import { MissingPackageError } from '../extension/workspace.js';
import type { Calls } from '../items/calls.js';
import type { ListedKind } from '../items/context.js';
import type { Lack } from '../items/lacks.js';
import { listedKinds } from '../items/registry.js';
import type { Servable } from '../items/server.js';
import type { Audience } from './audience.js';
import { Awaited, type Coming } from './coming.js';
import { hasUpstreams, type Lookout } from './lookout.js';
import type { Patience } from './outstanding.js';
import type { Hub, HubOptions } from './upstream/hub.js';
import { patienceIn } from './upstream-wait.js';
import { Workplaces } from './workplaces.js';

export interface AwaitOptions {
  readonly calls: Calls;
  readonly audience: Pick<Audience, 'listChanged'>;
  /** Packages that are obtained meanwhile; absent: the server goes without them. */
  readonly lacking?: Lacking | undefined;
  /** Aborts when nobody is served any more. */
  readonly signal: AbortSignal;
  readonly patience?: Patience | undefined;
  /** How soon upstream servers are tried again, and how long their calls are kept. */
  readonly upstream?: Pick<HubOptions, 'pace' | 'keeping' | 'patience' | 'places'>;
}

/** What a server lacks, how it is got, and what then looks for the server again. */
interface Lacking {
  readonly lacks: readonly Lack[];
  readonly obtain: Obtain;
  readonly lookout: Lookout;
}

/** A server that is not whole yet, and what is waited for. */
export interface AwaitedMore {
  /** Serves what was composed anew, with the tools of its upstream servers. Gives the lists that are not as they were. */
  readonly serve: (composed: Servable) => Promise<readonly ListedKind[]>;
  readonly calls: Calls;
  readonly outstanding: Coming;
  readonly workplaces: Workplaces;
}

/** Serves what is here of a server, while packages that are not here, and upstream servers, are waited for. */
export async function awaitMore(options: AwaitOptions): Promise<AwaitedMore> {
  const { audience, lacking, signal, patience, upstream } = options;
  const calls: { -readonly [K in keyof Calls]: Calls[K] } = { ...options.calls };
  const { report } = calls;
  const outstanding = new Awaited();
  const workplaces = new Workplaces();
  /** Without the tools of its upstream servers. */
  let composed = calls.server;
  let hub: Hub | undefined;

  const serve = (next: Servable): readonly ListedKind[] => {
    const before = calls.server;
    calls.server = next;
    return listedKinds.filter((kind) => isChanged(kind, before, next));
  };
  const openHub = async (): Promise<Hub> => {
    const { Hub } = await import('./upstream/hub.js');
    const onTools = () => {
      const changed = serve(opened.extend(composed));
      if (changed.includes('tools') && opened.isListed) audience.listChanged('tools');
    };
    const { env } = calls;
    const waits = patience ?? patienceIn(env, report);
    const opened: Hub = new Hub({ env, report, signal, patience: waits, workplaces, onTools, ...upstream });
    calls.upstreams = opened;
    outstanding.add(opened);
    return opened;
  };
  const extended = async (): Promise<Servable> => {
    if (hasUpstreams(composed)) hub ??= await openHub();
    return hub?.extend(composed) ?? composed;
  };

  const serveComposed = async (next: Servable) => {
    composed = next;
    return serve(await extended());
  };

  calls.server = await extended();
  if (lacking) {
    const { lacks, obtain, lookout } = lacking;
    const renew = async () => {
      const next = await lookout({ tellsMissing: false }).catch((error: unknown) => {
        if (error instanceof MissingPackageError) return { server: composed, lacks };
        throw error;
      });
      return { lacks: next.lacks, changed: await serveComposed(next.server) };
    };
    const { Outstanding } = await import('./outstanding.js');
    outstanding.add(new Outstanding({ lacks, obtain, renew, audience, report, signal, patience }));
  }
  return { calls, outstanding, workplaces, serve: serveComposed };
}

/** Whether clients may see another list of a kind. */
export function isChanged(kind: ListedKind, before: Servable, after: Servable): boolean {
  const shown = ({ registry, apps, skills, listHooks }: Servable) => {
    // Nobody knows what a hook picks.
    const includeHidden = listHooks[kind] !== undefined;
    const { items } = registry.list(kind, { includeHidden, pageSize: Number.POSITIVE_INFINITY });
    const uris = items.map((spec) => (spec.kind === 'tools' ? spec.ui?.app?.uri : undefined));
    const others = [...apps.keys(), ...skills.map(({ directory }) => directory)];
    return JSON.stringify([items.map(({ wire }) => wire), uris, kind === 'resources' && others]);
  };
  return shown(before) !== shown(after);
}
