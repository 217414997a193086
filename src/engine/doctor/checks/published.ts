import { isOlder } from '../../packages/version.js';
import { commandLine, installCommand } from '../commands.js';
import type { Check } from '../finding.js';
import type { UsedPackage } from '../picture.js';

export const outdatedPackages: Check = function* ({ packages, registry }) {
  for (const used of packages) {
    const newest = registry.newest.get(used.name);
    if (newest === undefined || !isOlder(used.version, newest)) continue;
    yield {
      code: 'doctor/outdated',
      ...placeOf(used),
      message: `${used.name} ${newest} is published. ${used.entry ? `"${used.entry.key}" runs` : 'The package store has'} ${used.version}.`,
      fix: updateCommand(used, newest),
    };
  }
};

export const vulnerablePackages: Check = function* ({ packages, registry }) {
  for (const used of packages) {
    const found = registry.vulnerable.get(used) ?? [];
    if (found.length === 0) continue;
    const shown = found
      .slice(0, 3)
      .map(({ name, version, severity, title, url }) => `${name}@${version} (${severity}): ${title}, ${url}`);
    const rest = found.length > shown.length ? `; and ${found.length - shown.length} more` : '';
    const newest = registry.newest.get(used.name);
    const isNewest = newest === undefined || !isOlder(used.version, newest);
    yield {
      code: 'doctor/vulnerable',
      ...placeOf(used),
      message: `${used.name}@${used.version} installs packages with known vulnerabilities: ${shown.join('; ')}${rest}.`,
      fix: isNewest
        ? 'No newer version is published. Judge the risk, or remove the server.'
        : updateCommand(used, newest),
    };
  }
};

export const unavailableRegistries: Check = function* ({ registry }) {
  for (const message of registry.unavailable)
    yield {
      code: 'doctor/registry-unavailable',
      message,
      fix: 'Run doctor again when the registry answers. Some registries support no audits.',
    };
};

function placeOf({ entry, folder }: UsedPackage) {
  return entry ? { entry } : { ...(folder !== undefined && { file: folder }) };
}

function updateCommand({ name, entry }: UsedPackage, version: string): string {
  if (!entry) return commandLine('update', name);
  return installCommand(entry, `npm:${name}@${version}`, ...(entry.installed ? [] : ['--force']));
}
