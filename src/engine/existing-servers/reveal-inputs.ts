import { hasSecretReference } from '../base/secret-reference.js';
import type { Reveal } from '../secrets/reveal.js';
import type { ExistingServer, InputValues } from './existing-server.js';
import type { GivenOptions, GivenPair } from './given-inputs.js';
import type { PreparedLaunch } from './prepare-launch.js';

/** Given values with stored secrets in place of their references. @throws AgentToolsError if a secret is missing */
export async function revealGiven(
  { env, args, headers }: GivenOptions,
  reveal: Reveal,
): Promise<GivenOptions> {
  const open = async (pair: GivenPair, place?: 'header'): Promise<GivenPair> =>
    hasSecretReference(pair.value)
      ? { ...pair, value: await reveal(pair.value, place), isSecret: true }
      : pair;
  return {
    env: await Promise.all(env.map((pair) => open(pair))),
    args: await Promise.all(args.map((word) => revealArgument(word, reveal))),
    headers: await Promise.all(headers.map((pair) => open(pair, 'header'))),
  };
}

/** `name=secret:NAME`, or a reference as the whole argument or within it. */
async function revealArgument(word: string, reveal: Reveal): Promise<string> {
  const { beginning, value } = splitArgument(word);
  return beginning + (await reveal(value));
}

function splitArgument(word: string): { readonly beginning: string; readonly value: string } {
  const equals = word.indexOf('=') + 1;
  return { beginning: word.slice(0, equals), value: word.slice(equals) };
}

/** Answers of the user with stored secrets in place of their references. @throws AgentToolsError if one is missing */
export async function revealAnswers(answers: InputValues, reveal: Reveal): Promise<InputValues> {
  const pairs = Object.entries(answers).map(async ([id, value]) => {
    const texts = await Promise.all([value].flat().map((text) => reveal(text)));
    return [id, Array.isArray(value) ? texts : texts[0]!] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

/** True if a given value refers to a stored secret. */
export function refersToSecrets({ env, args, headers }: GivenOptions, answers: InputValues = {}): boolean {
  const values = [...env, ...headers].map(({ value }) => value);
  const words = args.map((word) => splitArgument(word).value);
  return [...values, ...words, ...Object.values(answers).flat()].some(hasSecretReference);
}

/**
 * Fills references in the address of a remote server that the user named by it. Addresses of registries and files are
 * not searched: their authors must not read secrets.
 * @throws AgentToolsError if a secret is missing
 */
export async function revealAddress<Launch extends PreparedLaunch>(
  launch: Launch,
  { source }: Pick<ExistingServer, 'source'>,
  reveal: Reveal,
): Promise<Launch> {
  if (launch.kind !== 'remote' || source !== 'url') return launch;
  return { ...launch, url: await reveal(launch.url, 'url') };
}
