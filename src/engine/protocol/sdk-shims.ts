import process from 'node:process';

/**
 * Replaces the platform modules of the SDK in the bundle, which contain a whole JSON Schema engine each.
 * `engine/schema` checks arguments, results and answers, so the validator of the SDK is never called.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('The JSON Schema validator of the SDK is not part of this bundle.');
  }
}

/** Only browsers refuse requests by CORS. */
export const CORS_IS_POSSIBLE = false;

export { process };
