/**
 * Adaptation of tools to clients: `auto` changes only tools that the client would lose, `on` all that the client cannot use
 * whole.
 */
export type Adapt = 'auto' | 'on' | 'off';

/** True for a mode of adaptation. */
export function isAdapt(value: unknown): value is Adapt {
  return value === 'auto' || value === 'on' || value === 'off';
}
