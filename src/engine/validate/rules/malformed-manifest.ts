import type { Location } from '../../extension/diagnostics.js';
import type { Manifest } from '../../extension/manifest.js';
import { locateInManifest } from '../../extension/manifest.js';
import { isPackageName } from '../../extension/names.js';
import { readRuleSettings } from '../rule-settings.js';
import { defineRule, type Rule } from './rule.js';

export const malformedManifest: Rule = defineRule({
  code: 'malformed-manifest',
  severity: 'error',
  summary:
    'The manifest is well-formed JSON, its "root", "skills" and "rules" have the right form, and the package has a legal name.',
  *check({ unreadable, manifest }) {
    if (unreadable?.code === 'malformed-manifest') {
      yield { location: unreadable.location, facts: unreadable.message };
    }
    for (const { location, message } of manifest ? findManifestFaults(manifest) : [])
      yield { location, facts: message };
  },
  message: (reason) => reason,
});

interface ManifestFault {
  readonly location: Location;
  readonly message: string;
}

function* findManifestFaults(manifest: Manifest): Iterable<ManifestFault> {
  yield* nameFaultsIn(manifest);
  const { root, skills, rules } = manifest.translation.value;
  if (root !== undefined && (typeof root !== 'string' || root === '')) {
    const message = 'The "root" of the manifest must be a folder of the package, such as "agenttools".';
    yield { location: locateInManifest(manifest, ['root']), message };
  }
  if (skills !== undefined && (typeof skills !== 'string' || skills === '')) {
    const message =
      'The "skills" of the manifest must be the folder with the skills, such as "skills". Servers list skills by name.';
    yield { location: locateInManifest(manifest, ['skills']), message };
  }
  for (const { path, message } of readRuleSettings(rules).faults)
    yield { location: locateInManifest(manifest, ['rules', ...path]), message };
}

/** Qualified names contain the package name. A private package only needs a usable one, or none. */
function* nameFaultsIn({ packageJson }: Manifest): Iterable<ManifestFault> {
  const { name, private: isPrivate } = packageJson.value as Readonly<Record<string, unknown>>;
  if (name === undefined && isPrivate === true) return;
  const isLegal = typeof name === 'string' && (isPrivate === true ? isPackageName(name) : isNpmName(name));
  if (isLegal) return;
  const what =
    name === undefined ? 'The package has no name' : `${JSON.stringify(name)} is not a package name`;
  const expected =
    'Expected "name" or "@scope/name": lower case and safe in a URL, at most 214 characters, not beginning with . or _.';
  yield { location: { file: packageJson.file, path: ['name'] }, message: `${what}. ${expected}` };
}

/**
 * True if npm accepts the name for a new package.
 * @see https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
function isNpmName(name: string): boolean {
  return name.length <= 214 && /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name);
}
