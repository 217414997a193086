import type { Context } from './context.js';
import { MissingCapabilityError } from './requirements.js';

/** The part of a context that asks the client. */
export type Interaction = Pick<Context, 'elicit' | 'elicitUrl' | 'step' | 'sample' | 'roots'>;

/** Why a run ends that waits for the client: it never goes on, and another will begin where the answers are known. */
export class InputRequiredSignal extends Error {
  override readonly name = 'Suspension';

  constructor() {
    super('The client is asked first; the handler will run again.');
  }
}

/** Waits for what will not come. */
export function neverSettles(): Promise<never> {
  return new Promise(() => {});
}

/** For calls where there is nobody to ask; `what` says who would. */
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

/** For code that runs on nobody's behalf, or where the protocol has no room for questions. */
export function inputUnsupported(where: string): Interaction {
  const refuse = async (): Promise<never> => {
    throw new Error(`${where} cannot ask the client. Tools, prompts and resources can, while they are used.`);
  };
  return { ...noInputSource(where), elicit: refuse, elicitUrl: refuse, sample: refuse, roots: refuse };
}

/** What is said of a client without a capability. */
export function missingCapabilityError(what: string, capability: string): MissingCapabilityError {
  const text = `${what} needs the client capability "${capability}", which this client does not have.`;
  return new MissingCapabilityError(text, [capability]);
}
