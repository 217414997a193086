import type { Context } from './context.js';
import { MissingCapabilityError } from './requirements.js';

/** The part of a context that sends input requests to the client. */
export type Interaction = Pick<Context, 'elicit' | 'elicitUrl' | 'step' | 'sample' | 'roots'>;

/** Ends a run that needs input from the client. It never resumes: a new run starts with the answers. */
export class InputRequiredSignal extends Error {
  override readonly name = 'InputRequiredSignal';

  constructor() {
    super('The client is asked first; the handler will run again.');
  }
}

/** Returns a promise that never settles. */
export function neverSettles(): Promise<never> {
  return new Promise(() => {});
}

/** Input methods for code without a client. Error messages begin with the first argument. */
export function noInputSource(what: string): Interaction {
  const refuse = async (capability: string): Promise<never> => {
    throw missingCapabilityError(what, capability);
  };
  return {
    elicit: () => refuse('elicitation'),
    elicitUrl: () => refuse('elicitation.url'),
    step: async (_key, work) => await work(),
    sample: () => refuse('sampling'),
    roots: () => refuse('roots'),
  };
}

/** Input methods for code outside of client requests, or if the protocol has no input requests. */
export function inputUnsupported(where: string): Interaction {
  const refuse = async (): Promise<never> => {
    throw new Error(`${where} cannot ask the client. Tools, prompts and resources can, while they are used.`);
  };
  return { ...noInputSource(where), elicit: refuse, elicitUrl: refuse, sample: refuse, roots: refuse };
}

/** The error for a client without a required capability. */
export function missingCapabilityError(what: string, capability: string): MissingCapabilityError {
  const text = `${what} needs the client capability "${capability}", which this client does not have.`;
  return new MissingCapabilityError(text, [capability]);
}
