import { createReveal, type Reveal } from './reveal.js';
import { openSecretStore } from './secret-store.js';

/** Replaces references to the secrets of a data folder. */
export function revealFrom(dataFolder: string): Reveal {
  return createReveal(() => openSecretStore({ dataFolder }));
}
