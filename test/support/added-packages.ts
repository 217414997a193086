import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Extension } from '../../src/engine/extension/extension.js';
import { fingerprintExtension } from '../../src/engine/packages/fingerprint.js';
import { PackageStore } from '../../src/engine/packages/package-store.js';
import { addFiles, type Files, writeFolder } from './packages.js';

/** A folder for `AGENTTOOLS_HOME` to which versions of `@acme/kit` are added without npm. */
export interface KitHome {
  readonly home: string;
  /** Adds or updates the package. Gives the folder of the installation. */
  put(files: Files): Promise<string>;
}

export function makeKitHome(): KitHome {
  const home = writeFolder();
  const shelf = new PackageStore(path.join(home, 'packages/node_modules'));
  return {
    home,
    put: async (files) => {
      const installation = await shelf.makeInstallation();
      const directory = path.join(installation, 'node_modules/@acme/kit');
      addFiles(directory, files);
      const record = {
        format: 1 as const,
        name: '@acme/kit',
        wanted: { kind: 'registry' as const, wanted: '*' },
        version: String(Math.random()),
        integrity: null,
        source: null,
        fingerprint: await fingerprintExtension(await Extension.open(directory)),
        dependencies: {},
        time: new Date().toISOString(),
      };
      writeFileSync(path.join(installation, 'added.json'), JSON.stringify(record));
      const added = await shelf.exclusively(async () => await shelf.put(installation, record));
      return added.installation;
    },
  };
}
