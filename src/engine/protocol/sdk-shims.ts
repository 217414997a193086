import process from 'node:process';

/**
 * Stands in the bundle for the SDK's platform module, which would load a whole JSON Schema engine at every start.
 * Arguments, results and answers are checked by `engine/schema`, so the SDK's own validator is never asked.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('The JSON Schema validator of the SDK is not part of this bundle.');
  }
}

export { process };
