/** One entry, so that both share their state and their errors. */
export * from '../../../../src/engine/extension/import-module.js';
export * from '../../../../src/engine/extension/modules.js';
