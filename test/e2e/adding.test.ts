// The same tests as in `npm test`: here the registry is verdaccio, and npm a program.
import '../cli/packages.test.js';
import '../engine/npm/run-npm.test.js';
import '../engine/packages/packages.test.js';
import '../stdio/list-servers.test.js';
import '../stdio/packages.test.js';
