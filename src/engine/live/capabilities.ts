import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { Era } from '../protocol/eras.js';
import { skillsExtension, tasksExtension } from '../protocol/protocol-extensions.js';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';
import { isUiResource } from '../runtime/ui.js';
import type { LiveServer } from './live-server.js';
import { uiCapability } from './ui-capability.js';

/** Returns the capabilities for items that a server has, or that may still arrive. */
export function serverCapabilities(
  live: LiveServer,
  { era, withUi }: { readonly era: Era; readonly withUi: boolean },
): ServerCapabilities {
  const { registry, apps, skills, upstreamSkills, listHooks, upstreams } = live.current;
  const isPending = (kind: ServedKind): boolean =>
    live.isEdited || live.isPending(kind) || (kind === 'resources' && withUi && isPending('tools'));
  const isThere = (kind: ServedKind) =>
    kind === 'resources'
      ? skills.length > 0 ||
        (withUi && apps.size > 0) ||
        registry.all(kind).some((spec) => withUi || !isUiResource(spec))
      : registry.all(kind).length > 0 || (kind === 'tools' && upstreams.length > 0);
  const completes = [...registry.all('prompts'), ...registry.all('resources')].some(
    ({ complete, upstream }) => complete.size > 0 || upstream?.hasCompletions,
  );
  /** True if the list may differ on the next request. */
  const mayChange = (kind: ServedKind) =>
    live.isUpdatable ||
    isPending(kind) ||
    listHooks[kind] !== undefined ||
    (kind === 'tools' && upstreams.length > 0) ||
    (kind === 'tools' && withUi && registry.all(kind).some(({ ui }) => ui?.when !== undefined)) ||
    (kind === 'resources' && registry.all(kind).some(({ list }) => list !== undefined));
  const subscribable = registry.all('resources').filter((spec) => withUi || !isUiResource(spec));
  const maySubscribe = isPending('resources') || subscribable.some((spec) => spec.subscribable);
  const listed = listedKinds.flatMap((kind) => {
    if (!isPending(kind) && !isThere(kind)) return [];
    const listChanged = mayChange(kind) && { listChanged: true };
    return [[kind, { ...listChanged, ...(kind === 'resources' && maySubscribe && { subscribe: true }) }]];
  });
  // Before 2026-07-28, tasks had a different meaning.
  const hasTasks = era === 'modern' && (isPending('tools') || registry.all('tools').some(({ task }) => task));
  const extensions = {
    ...(withUi && uiCapability.extensions),
    ...(hasTasks && { [tasksExtension]: {} }),
    ...((skills.length > 0 || upstreamSkills || live.isPending('skills')) && {
      // Folders of upstream servers cannot be read.
      [skillsExtension]: skills.length === 0 && upstreams.length > 0 ? {} : { directoryRead: true },
    }),
  };
  return {
    // The rest of a long result is a resource.
    ...(live.current.adapt === 'on' && { resources: {} }),
    ...Object.fromEntries(listed),
    ...((completes || isPending('prompts') || isPending('resources')) && { completions: {} }),
    logging: {},
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
}
