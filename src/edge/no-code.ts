/**
 * Zod, which the SDK parses messages with, generates code from schemas unless this is set before it loads.
 */
const settings = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
settings.__zod_globalConfig = { ...settings.__zod_globalConfig, jitless: true };

export {};
