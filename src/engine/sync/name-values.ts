import { AgentToolsError } from '../base/errors.js';
import { hasSecretReference } from '../base/secret-reference.js';
import type { InstallDeps } from '../installation/install-request.js';
import { keepAnswers } from '../installation/keep-answers.js';
import { namesIn } from '../installation/server-declaration.js';

/** Source of the values of names in a set. */
export interface NameSource extends Pick<InstallDeps, 'secrets' | 'user'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if entries may refer to stored secrets, which only this machine has. */
  readonly isPrivate: boolean;
  /** True if nothing is started or written: missing values do not matter. */
  readonly isCheck: boolean;
}

/** Value of a name. */
interface NameValue {
  /** The value, or a reference to a stored secret. */
  readonly text: string;
  /** In a check, `environment` may be a placeholder. */
  readonly source: 'store' | 'environment' | 'user';
}

/** Values by name. */
export type NameValues = ReadonlyMap<string, NameValue>;

/** A value that looks like a secret. */
const placeholder = 'x7Qk2Vd9Rm4Tz8Wb5Np3';

/**
 * Finds the values of the names in some texts: stored secrets, then variables, then answers of the user.
 * @throws AgentToolsError if one has no value
 */
export async function findNameValues(
  key: string,
  texts: readonly string[],
  { secrets, user, env, isPrivate, isCheck }: NameSource,
): Promise<NameValues> {
  const values = new Map<string, NameValue>();
  const missing: string[] = [];
  for (const name of new Set(texts.flatMap(namesIn))) {
    const isStored = isPrivate && (await secrets.get(name)) !== undefined;
    const value = env[name] ?? (isCheck ? placeholder : undefined);
    if (isStored) values.set(name, { text: `secret:${name}`, source: 'store' });
    else if (value === undefined) missing.push(name);
    else values.set(name, { text: value, source: 'environment' });
  }
  if (missing.length === 0) return values;
  const answers = user ? await ask(key, missing, { secrets, user }) : {};
  for (const name of missing) {
    const answer = answers[name];
    if (typeof answer !== 'string') throw withoutValue(key, missing, isPrivate);
    values.set(name, { text: answer, source: hasSecretReference(answer) ? 'store' : 'user' });
  }
  return values;
}

async function ask(
  key: string,
  names: readonly string[],
  {
    secrets,
    user,
  }: Required<Pick<NameSource, 'secrets'>> & { readonly user: NonNullable<NameSource['user']> },
) {
  const inputs = names.map((name) => ({
    id: name,
    givenBy: 'env' as const,
    name,
    isRequired: true,
    isSecret: true,
    isRepeated: false,
    format: 'string' as const,
  }));
  const answers = await user.fillIn({ server: key, inputs, findFault: () => undefined });
  return await keepAnswers({ name: key, inputs }, answers, { user, secrets });
}

function withoutValue(key: string, names: readonly string[], isPrivate: boolean): AgentToolsError {
  const list = names.join(', ');
  const [first] = names;
  const store = isPrivate ? `Store it with: agenttools secret set ${first}. Or set` : 'Set';
  const message = `"${key}" needs the value of ${list}. ${store} the variable ${first}.`;
  return new AgentToolsError('not-found', message);
}
