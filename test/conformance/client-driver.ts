// The client under test in the official suite: the upstream connections, the sign-in and the terminal of this program, one
// function per scenario.
//
//   MCP_CONFORMANCE_SCENARIO=<name> node client-driver.mjs <server URL>
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { createTerminalUser } from '../../src/cli/commands/call/terminal-user.js';
import { existingDeps } from '../../src/cli/shared/existing.js';
import { ownProgram } from '../../src/engine/base/folders.js';
import { createBridge } from '../../src/engine/bridge/existing-resolver.js';
import { LiveServer } from '../../src/engine/live/live-server.js';
import type { UpstreamEndpoint } from '../../src/engine/runtime/upstream.js';
import { callComposed } from '../../src/engine/serve/call-once.js';
import { openUpstreamsWith } from '../../src/engine/server/open-upstreams.js';
import type { SignInUser } from '../../src/engine/sign-in/authorize.js';
import { discoverAuthorization } from '../../src/engine/sign-in/discover-authorization.js';
import { signInMachine, signInUser } from '../../src/engine/sign-in/sign-in.js';
import type { ClientRegistration } from '../../src/engine/sign-in/sign-in-record.js';
import { SignIns } from '../../src/engine/sign-in/sign-ins.js';
import type { SignInFor } from '../../src/engine/upstream/remote-sign-in.js';
import { UpstreamCall } from '../../src/engine/upstream/upstream-call.js';
import { UpstreamLink } from '../../src/engine/upstream/upstream-link.js';
import type { Host } from '../../src/host.js';

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: contextText = '{}' } = process.env;
const [, , url = ''] = process.argv;
const home = mkdtempSync(path.join(tmpdir(), 'conformance-client-'));
const { signal } = new AbortController();

/** Longest wait for an answer, in milliseconds: the clients of all scenarios share the processors. */
const patienceMs = 120_000;

interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const { toolCalls, ...context } = JSON.parse(contextText) as Readonly<Record<string, string>> & {
  readonly toolCalls?: readonly ToolCall[];
};

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A terminal whose user presses Enter at every question. */
function terminalHost(): Host {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = new PassThrough();
  stderr.on('data', (text: Buffer) => {
    process.stderr.write(text);
    if (text.toString().endsWith(': ')) stdin.write('\n');
  });
  return {
    cwd: home,
    env: { AGENTTOOLS_HOME: home, AGENTTOOLS_MCP_REGISTRY: 'none' },
    home,
    platform: process.platform,
    stdin,
    stdout: process.stdout,
    stderr,
    color: false,
    exit: () => {},
  };
}

const host = terminalHost();
const signIns = new SignIns({ dataFolder: home });

/** A browser whose user agrees at once. */
const user: SignInUser = {
  async visit(address) {
    const answer = await fetch(address, { redirect: 'manual' });
    const redirect = answer.headers.get('location');
    if (redirect === null) throw new Error(`The authorization endpoint answered with ${answer.status}.`);
    await fetch(redirect);
    return undefined;
  },
};

/** The server in front of the server of the suite, as `call` and `start` compose it. */
async function openBridge() {
  const deps = existingDeps(host, { signal, report, tell: () => {} });
  const meant = { kind: 'url', url } as const;
  const given = { env: [], args: [], headers: [] };
  return await createBridge({ text: url, meant, given, transport: 'http' }, deps);
}

/** Calls the tools of the context, or all tools that the bridge serves, each as `agenttools call` does. */
async function callTools(signIn?: SignInFor): Promise<void> {
  const { compose } = await openBridge();
  const openUpstreams = openUpstreamsWith({
    env: host.env,
    report,
    signal,
    patience: { waitMs: patienceMs },
    isOnce: true,
    signIns,
    signIn,
  });
  const live = await LiveServer.open({ server: await compose(), env: host.env, report, openUpstreams });
  await live.ready('tools', signal);
  const tools = live.current.registry.all('tools').map(({ name, wire }) => ({ name, wire }));
  const absences = live.reasons('tools');
  await live.close();
  if (absences.length > 0) throw new Error(absences.join('\n'));
  const calls = toolCalls ?? tools.map(({ name }) => ({ name, arguments: argumentsOf(name, tools) }));
  for (const { name, arguments: args } of calls) {
    const person = createTerminalUser(host);
    const call = { tool: name, args, env: host.env, report, signal, person, signIns, signIn };
    await callComposed(compose, call).then(
      (result) => report(JSON.stringify(result)),
      (error: unknown) => report(String(error)),
    );
  }
}

function argumentsOf(
  name: string,
  tools: readonly { readonly name: string; readonly wire: Readonly<Record<string, unknown>> }[],
): ToolCall['arguments'] {
  const schemaOf = (wanted: string) => tools.find((tool) => tool.name === wanted)?.wire.inputSchema;
  if (name === 'add_numbers') return { a: 5, b: 3 };
  if (name === 'valid_tool') return { region: 'us-west1' };
  return name === 'json_schema_echo' ? { schema: schemaOf('json_schema_2020_12_tool') } : {};
}

/** Connects, and reads the tools. Default: connects to the server of the suite. */
async function connect(
  place: UpstreamEndpoint = { url, headers: {}, transport: 'http' },
): Promise<UpstreamLink> {
  const ignore = () => {};
  const events = {
    onListChanged: ignore,
    onResourceUpdated: ignore,
    onLog: ignore,
    onElicitationComplete: ignore,
  };
  const link = await UpstreamLink.open({
    place,
    name: 'suite',
    era: undefined,
    timeoutMs: patienceMs,
    signal,
    quote: (text) => text,
    roots: async () => [],
    note: report,
    events,
    onOver: ignore,
  });
  await link.lists.read('tools', patienceMs);
  return link;
}

async function connectOnce(): Promise<void> {
  await (await connect()).close();
}

/** Reads one item of each kind. */
async function readAll(): Promise<void> {
  const link = await connect();
  const ask = async (method: 'tools/call' | 'resources/read' | 'prompts/get', params: object) => {
    const call = new UpstreamCall(undefined);
    await link.call({ method, params: { ...params } }, call);
  };
  for (const { name } of await listed(link, 'tools')) await ask('tools/call', { name, arguments: {} });
  for (const { uri } of await listed(link, 'resources')) await ask('resources/read', { uri });
  for (const { name } of await listed(link, 'prompts')) await ask('prompts/get', { name, arguments: {} });
  await link.close();
}

async function listed(link: UpstreamLink, part: 'tools' | 'resources' | 'prompts') {
  return (await link.lists.read(part, patienceMs)) as readonly {
    readonly name: string;
    readonly uri: string;
  }[];
}

/** `agenttools start` in front of the server of the suite. */
async function connectThrough(): Promise<UpstreamLink> {
  const env = { AGENTTOOLS_HOME: home, AGENTTOOLS_MCP_REGISTRY: 'none' };
  const { command, args } = ownProgram();
  return await connect({ command, args: [...args, 'start', url], env, cwd: home });
}

/** Lists the skills, and returns them with a connection: the program declares them from its second start on. */
async function listSkills() {
  await (await connectThrough()).close();
  const link = await connectThrough();
  const skills = (await link.lists.read('skills', patienceMs)) as readonly {
    readonly resources: readonly { readonly uri: string }[];
  }[];
  if (skills.length === 0) throw new Error('No skills are listed.');
  return { skills, link };
}

async function listSkillsOnly(): Promise<void> {
  const { link } = await listSkills();
  await link.close();
}

/** Loads skills as a client does: the `SKILL.md`, then the other files, up to the first that cannot be read. */
async function loadSkills(): Promise<void> {
  const { skills, link } = await listSkills();
  for (const { uri } of skills.flatMap(({ resources }) => resources)) {
    await link.call({ method: 'resources/read', params: { uri } }, new UpstreamCall(undefined));
  }
  await link.close();
}

/** A user at a terminal, who signs in where the server asks for it. */
async function useAsUser(client?: ClientRegistration, issuer?: string): Promise<void> {
  await callTools(
    async (account, challenge) => await signInUser(account, { user, signal, client, issuer }, challenge),
  );
}

/** A machine with client credentials, whose user knows the authorization server. */
async function useAsMachine(client: ClientRegistration): Promise<void> {
  await callTools(async (account, challenge) => {
    const { issuer } = await discoverAuthorization(new URL(url), { ...challenge, fetch });
    return await signInMachine(account, { client, issuer }, challenge);
  });
}

/** The id that the suite expects of clients with a metadata document. */
const metadataDocument = { clientId: 'https://conformance-test.local/client-metadata.json' };

const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  initialize: connectOnce,
  'request-metadata': connectOnce,
  'http-standard-headers': readAll,
  'sep-2640-client-no-prefetch': listSkillsOnly,
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,
  'auth/client-credentials-basic': async () =>
    await useAsMachine({ clientId: context.client_id!, secret: { value: context.client_secret! } }),
  'auth/client-credentials-jwt': async () =>
    await useAsMachine({ clientId: context.client_id!, privateKey: { value: context.private_key_pem! } }),
  'auth/pre-registration': async () =>
    await useAsUser(
      { clientId: context.client_id!, secret: { value: context.client_secret! } },
      context.issuer,
    ),
};

const run =
  scenarios[scenario] ?? (scenario.startsWith('auth/') ? () => useAsUser(metadataDocument) : callTools);

try {
  await run();
} catch (error) {
  report(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
  process.exit();
}
