import { config } from 'zod/v4';

// The page's policy allows no code made of texts. This has to come before any schema is made.
config({ jitless: true });
