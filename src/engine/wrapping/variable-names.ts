import { freeVariableName, toVariableName } from '../base/variable-name.js';
import type { ServerInput } from '../existing-servers/existing-server.js';

/** Names of the variables of one extension. Equal names with different meanings get numbers. */
export class VariableNames {
  readonly #meanings = new Map<string, string>();

  /** Keeps the names of variables that the user has already. */
  reserve(inputs: readonly ServerInput[]): void {
    for (const input of inputs) if (input.givenBy === 'env') this.forInput(input);
  }

  /** Inputs with the same option and name are one variable. */
  forInput({ givenBy, name }: Pick<ServerInput, 'givenBy' | 'name'>): string {
    return givenBy === 'env'
      ? this.#nameFor(name, 'env')
      : this.#nameFor(toVariableName(name), `${givenBy}:${name}`);
  }

  /** Equal values with the same name are one variable. */
  forValue(name: string, value: string): string {
    return this.#nameFor(name, `value:${value}`);
  }

  #nameFor(text: string, meaning: string): string {
    const isOther = (one: string) => (this.#meanings.get(one) ?? meaning) !== meaning;
    const name = freeVariableName(isLegal(text) ? text : toVariableName(text), isOther);
    this.#meanings.set(name, meaning);
    return name;
  }
}

/** True for a name that definitions can refer to. */
function isLegal(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_()]*$/.test(name);
}
