import { AgentToolsError } from '../base/errors.js';

/**
 * Adaptation of tools to clients: `auto` changes only tools that the client would lose, `on` all that the client cannot use
 * whole.
 */
export type Adapt = 'auto' | 'on' | 'off';

/** True for a mode of adaptation. */
export function isAdapt(value: unknown): value is Adapt {
  return value === 'auto' || value === 'on' || value === 'off';
}

/** Reads the value of `--adapt`, which is `on` without one. @throws AgentToolsError `usage` */
export function readAdapt(value: string | undefined): Adapt | undefined {
  if (value === undefined || isAdapt(value)) return value;
  if (value === '') return 'on';
  throw new AgentToolsError('usage', `--adapt is auto, on or off, not "${value}".`);
}

/** Variable with the mode of the user. */
export const adaptVariable = 'AGENTTOOLS_ADAPT';

/** Variable with the key of the entry in the config of a client, which clients put before names of tools. */
export const serverKeyVariable = 'AGENTTOOLS_SERVER_KEY';

/** Variable with the consent of the user to smaller images: `1`. */
export const scaleImagesVariable = 'AGENTTOOLS_SCALE_IMAGES';
