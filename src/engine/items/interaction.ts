import type { Context } from './context.js';
import { MissingCapabilityError } from './requirements.js';

/** The part of a context that asks the client. */
export type Interaction = Pick<Context, 'elicit' | 'elicitUrl' | 'step' | 'sample' | 'roots' | 'root'>;

/** For calls where there is nobody to ask. */
export const nobodyToAsk: Interaction = {
  elicit: () => refuse('elicitation'),
  elicitUrl: () => refuse('elicitation.url'),
  step: async (_key, work) => await work(),
  sample: () => refuse('sampling'),
  roots: () => refuse('roots'),
  root: undefined,
};

/** What a client without a capability is told. */
export function missing(capability: string): MissingCapabilityError {
  const text = `This needs the client capability "${capability}", which this client does not have.`;
  return new MissingCapabilityError(text, [capability]);
}

async function refuse(capability: string): Promise<never> {
  throw missing(capability);
}
