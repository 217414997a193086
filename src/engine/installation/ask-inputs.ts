import type { ExistingServer, InputValues, ServerInput } from '../existing-servers/existing-server.js';
import {
  assignInputs,
  findFault,
  type GivenOptions,
  optionOf,
  type PathBase,
  toInputValue,
} from '../existing-servers/given-inputs.js';

/** Questions for the inputs of one server. */
export interface InputForm {
  /** Name of the server for the user. */
  readonly server: string;
  readonly inputs: readonly ServerInput[];
  /** Reason against an answer; undefined if it fits. */
  readonly findFault: (input: ServerInput, text: string) => string | undefined;
}

/** The user at a terminal. */
export interface InstallUser {
  /** Asks for inputs. The answers contain no input that the user skipped. */
  readonly fillIn: (form: InputForm) => Promise<InputValues>;
  /** Asks a yes/no question. `preset`: meaning of an empty answer; default: no. */
  readonly confirm: (question: string, options?: { readonly preset: boolean }) => Promise<boolean>;
}

interface GivenInputs {
  /** Name of the server for the user. */
  readonly label: string;
  readonly given: GivenOptions;
  readonly base: PathBase;
}

/**
 * Asks the user for the inputs of a server that no option gives: the required ones without a default. If no option gives
 * any, the required ones with a default, too.
 */
export async function askInputs(
  server: ExistingServer,
  { label, given, base }: GivenInputs,
  user: InstallUser | undefined,
): Promise<InputValues> {
  if (!user) return {};
  const { values } = assignInputs(server, given, base);
  const isNothingGiven = [given.env, given.args, given.headers].every((list) => list.length === 0);
  const inputs = server.inputs.filter(
    (input) =>
      input.isRequired &&
      !Object.hasOwn(values, input.id) &&
      (isNothingGiven || [input.default ?? []].flat().length === 0),
  );
  if (inputs.length === 0) return {};
  const answers = await user.fillIn({ server: label, inputs, findFault });
  return Object.fromEntries(
    inputs.flatMap((input) => {
      const answer = Object.hasOwn(answers, input.id) ? answers[input.id] : undefined;
      if (answer === undefined) return [];
      const texts = [answer].flat().map((text) => toInputValue(input, text, base));
      return [[input.id, input.isRepeated ? texts : texts[0]!]];
    }),
  );
}

/** Most optional inputs that a note names. */
const maxNamed = 8;

/** Names the optional inputs that have no value, since no question asks for them. */
export function optionalInputNotes(
  server: ExistingServer,
  { given, base }: Omit<GivenInputs, 'label'>,
): readonly string[] {
  const { values } = assignInputs(server, given, base);
  const free = server.inputs.filter(
    (input) => !input.isRequired && input.default === undefined && !Object.hasOwn(values, input.id),
  );
  if (free.length === 0) return [];
  const named = free.slice(0, maxNamed).map((input) => optionOf(input));
  const more = free.length > maxNamed ? `, and ${free.length - maxNamed} more` : '';
  return [`Optional inputs without a value: ${named.join(', ')}${more}.`];
}
