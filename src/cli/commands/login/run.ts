import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { rethrowAsUserError } from '../../../engine/base/file-fault.js';
import { decodeText, readBytes } from '../../../engine/base/files/text-file.js';
import { findSecretReferences } from '../../../engine/base/secret-reference.js';
import type { ClientRegistration, SecretSource } from '../../../engine/sign-in/sign-in-record.js';
import { describeSignIn } from '../../../engine/sign-in/sign-in-record.js';
import type { Host } from '../../../host.js';
import type { InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { withProgress } from '../../shared/progress.js';
import { findRemoteServer } from '../../shared/remote-server.js';
import { createSignInUser } from '../../shared/sign-in-user.js';
import { openSignIns } from '../../shared/sign-ins.js';
import { renderJson } from '../../shared/text/json.js';
import { signedInText } from './text.js';

export interface LoginInput {
  readonly server: string;
  readonly existing: InputOptions;
  readonly useBrowser: boolean;
  readonly scope: string | undefined;
  readonly clientId: string | undefined;
  /** `secret:NAME`, or `-` for stdin. */
  readonly clientSecret: string | undefined;
  /** A file, or `secret:NAME`. */
  readonly privateKey: string | undefined;
  /** True for client credentials, without a user. */
  readonly isMachine: boolean;
  readonly issuer: string | undefined;
  readonly port: number | undefined;
  readonly json: boolean;
}

/** Signs in to a remote server, and checks that the server accepts the sign-in. */
export async function loginCommand(input: LoginInput, host: Host): Promise<ExitCode> {
  const { server, existing, scope, issuer, port, useBrowser, json } = input;
  const client = await readClient(input, host);
  const { signal } = new AbortController();
  const remote = await withProgress(
    host,
    async (tell) => await findRemoteServer(server, { existing, signal, tell }, host),
  );
  const { logIn } = await import('../../../engine/preflight/log-in.js');
  const signIns = openSignIns(host);
  const { record, tools } = await logIn(remote, {
    account: signIns.account(remote.url),
    user: createSignInUser(host, { useBrowser }),
    isMachine: input.isMachine,
    client,
    scope,
    issuer,
    port,
    signal,
  });
  const facts = describeSignIn(record);
  if (json) host.stdout.write(renderJson({ ...facts, tools }));
  host.stderr.write(signedInText(facts, tools));
  return ExitCode.Ok;
}

/** @throws AgentToolsError `usage` if options do not fit together */
async function readClient(
  { clientId, clientSecret, privateKey, isMachine }: LoginInput,
  host: Host,
): Promise<ClientRegistration | undefined> {
  if (clientId === undefined) {
    if (!isMachine && clientSecret === undefined && privateKey === undefined) return undefined;
    const flag = isMachine
      ? '--client-credentials'
      : clientSecret === undefined
        ? '--private-key'
        : '--client-secret';
    throw usage(`${flag} needs the id of the client. Add: --client-id <id>`);
  }
  if (clientSecret !== undefined && privateKey !== undefined)
    throw usage('A client has a secret or a private key. Leave out --client-secret or --private-key.');
  if (isMachine && clientSecret === undefined && privateKey === undefined)
    throw usage(
      'A machine needs credentials. Add --client-secret secret:NAME, --client-secret - or --private-key <file>.',
    );
  return {
    clientId,
    ...(clientSecret !== undefined && { secret: await readClientSecret(clientSecret, host) }),
    ...(privateKey !== undefined && { privateKey: await readKey(privateKey, host) }),
  };
}

/** The message never contains the text, which may be the secret itself. */
async function readClientSecret(text: string, host: Host): Promise<SecretSource> {
  const reference = readReference(text);
  if (reference) return reference;
  if (text !== '-')
    throw usage(
      'A client secret is no argument, since other programs can read it. Give secret:NAME after: agenttools secret set NAME, or - to read it from stdin.',
    );
  const value = (await readStdin(host)).replace(/\r?\n$/, '');
  if (value === '') throw usage('stdin contains no client secret.');
  return { value };
}

async function readKey(text: string, { cwd }: Host): Promise<SecretSource> {
  const reference = readReference(text);
  if (reference) return reference;
  const { readTextFile } = await import('../../../engine/base/files/text-file.js');
  const file = path.resolve(cwd, text);
  const { text: pem } = await rethrowAsUserError(async () => await readTextFile(file));
  if (pem === null) throw new AgentToolsError('not-found', `There is no private key at ${file}.`);
  return { value: pem };
}

function readReference(text: string): SecretSource | undefined {
  const [name] = text.startsWith('secret:') ? findSecretReferences(text) : [];
  return name === undefined ? undefined : { secret: name };
}

/** Longest client secret, in bytes. */
const maxSecretBytes = 64 * 1024;

async function readStdin({ stdin }: Host): Promise<string> {
  return await rethrowAsUserError(async () =>
    decodeText(await readBytes(stdin, 'stdin', maxSecretBytes), 'stdin'),
  );
}

function usage(message: string): AgentToolsError {
  return new AgentToolsError('usage', message);
}
