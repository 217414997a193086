import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { Calls } from '../items/calls.js';
import { listedKinds, type ServedKind } from '../items/registry.js';
import { isUiResource } from '../items/ui.js';
import type { Coming } from './coming.js';
import { skillsExtension, tasksExtension } from './extensions.js';
import type { Era } from './protocol/eras.js';
import { uiCapability } from './ui.js';

/** Capabilities by what there is, or is still to come; never more. */
export function capabilitiesOf(
  { server: { registry, apps, skills, listHooks, upstreams } }: Calls,
  {
    era,
    outstanding,
    isUpdatable = false,
    withUi,
  }: {
    readonly era: Era;
    readonly outstanding: Coming | undefined;
    readonly isUpdatable?: boolean;
    readonly withUi: boolean;
  },
): ServerCapabilities {
  const isComing = (kind: ServedKind): boolean =>
    outstanding?.includes(kind) || (kind === 'resources' && withUi && isComing('tools'));
  const isThere = (kind: ServedKind) =>
    kind === 'resources'
      ? skills.length > 0 ||
        (withUi && apps.size > 0) ||
        registry.all(kind).some((spec) => withUi || !isUiResource(spec))
      : registry.all(kind).length > 0 || (kind === 'tools' && upstreams.length > 0);
  const completes = [...registry.all('prompts'), ...registry.all('resources')].some(
    ({ complete }) => complete.size > 0,
  );
  /** Whether a list may be another one the next time. */
  const mayChange = (kind: ServedKind) =>
    isUpdatable ||
    isComing(kind) ||
    listHooks[kind] !== undefined ||
    (kind === 'tools' && upstreams.length > 0) ||
    (kind === 'tools' && withUi && registry.all(kind).some(({ ui }) => ui?.when !== undefined)) ||
    (kind === 'resources' && registry.all(kind).some(({ list }) => list !== undefined));
  const subscribable = registry.all('resources').filter((spec) => withUi || !isUiResource(spec));
  const maySubscribe = isComing('resources') || subscribable.some((spec) => spec.subscribable);
  const listed = listedKinds.flatMap((kind) => {
    if (!isComing(kind) && !isThere(kind)) return [];
    const listChanged = mayChange(kind) && { listChanged: true };
    return [[kind, { ...listChanged, ...(kind === 'resources' && maySubscribe && { subscribe: true }) }]];
  });
  // Tasks were something else before 2026-07-28.
  const hasTasks = era === 'modern' && (isComing('tools') || registry.all('tools').some(({ task }) => task));
  const extensions = {
    ...(withUi && uiCapability.extensions),
    ...(hasTasks && { [tasksExtension]: {} }),
    ...((skills.length > 0 || outstanding?.includes('skills')) && {
      [skillsExtension]: { directoryRead: true },
    }),
  };
  return {
    ...Object.fromEntries(listed),
    ...((completes || isComing('prompts') || isComing('resources')) && { completions: {} }),
    logging: {},
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
}
