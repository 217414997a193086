import type { DefinitionShape } from '../key-shape.js';

const filesShape: DefinitionShape = {
  read: {
    types: ['string-list'],
    description:
      'Files and folders that code can read: absolute, below the home folder (`~/notes`), or relative to the package.',
  },
  write: { types: ['string-list'], description: 'Existing files and folders that code can read and write.' },
};

/** Permissions of the code of a server. */
export const sandboxShape: DefinitionShape = {
  files: {
    types: ['object'],
    description: 'Files in addition to the code of the server. Default: none.',
    shape: filesShape,
  },
  network: {
    types: ['string-list'],
    description:
      'Hosts such as `"api.acme.example"` and `"*.acme.example"`, with ports 80 and 443, or with another port: ' +
      '`"localhost:8080"`. Default: none.',
  },
  run: {
    types: ['string-list'],
    description: 'Programs: names on the `PATH`, or absolute paths. Default: none but Node.',
  },
  env: {
    types: ['string-list'],
    description:
      'Names of environment variables. Default: `PATH`, `LANG`, and a private `HOME` and `TMPDIR`.',
  },
};
