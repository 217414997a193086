/** The library that the SDK reads messages with makes code of its schemas, unless it is told not to before it loads. */
const settings = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
settings.__zod_globalConfig = { ...settings.__zod_globalConfig, jitless: true };

export {};
