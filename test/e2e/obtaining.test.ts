// The same tests as in `npm test`: here with verdaccio.
import '../stdio/obtaining.test.js';
