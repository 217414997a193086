// The same tests as in `npm test`: here with verdaccio.
import '../cli/registry.test.js';
