import process from 'node:process';

/**
 * Replaces the SDK's platform module in the bundle, which would load a whole JSON Schema engine at every start.
 * `engine/schema` checks arguments, results and answers, so the SDK's validator is never called.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('The JSON Schema validator of the SDK is not part of this bundle.');
  }
}

export { process };
