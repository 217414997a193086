import { config } from 'zod/v4';

// The page's policy forbids code from strings. This has to run before any schema is created.
config({ jitless: true });
