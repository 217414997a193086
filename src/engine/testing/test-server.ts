import type { JsonObject } from '../protocol/envelope.js';
import type { Era } from '../protocol/eras.js';
import type { ContentBlock, PromptMessage } from '../runtime/result-builders.js';
import { FakeUser, type Question, type UserScript } from './fake-user.js';
import type { TestTarget } from './served-target.js';
import type { ClientConnection, ClientIdentity, ServerNotification } from './test-client.js';

/** Types of the tools of a server by their names. Without them, arguments and results are any. */
export type ToolTypes = Readonly<Record<string, { readonly arguments: object; readonly output: unknown }>>;

/** A tool as a client lists it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
}

/** Result of a tool call. */
export interface CallResult<Output = unknown> {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Output;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
  /** Text blocks, joined by line breaks. */
  readonly text: string;
}

/** The client of a server under test. */
export interface TestServer<Tools extends ToolTypes = ToolTypes> extends AsyncDisposable {
  /** Name, version and other texts of the server. */
  readonly info: JsonObject;
  readonly instructions: string | undefined;
  readonly capabilities: JsonObject;
  /** Notifications so far, in order. */
  readonly notifications: readonly ServerNotification[];
  /** Questions of the server to the user so far. */
  readonly questions: readonly Question[];
  /** Output of the server on stderr so far. */
  readonly stderr: string;
  listTools(): Promise<readonly ListedTool[]>;
  listPrompts(): Promise<readonly JsonObject[]>;
  listResources(): Promise<readonly JsonObject[]>;
  listResourceTemplates(): Promise<readonly JsonObject[]>;
  /** @throws an error with the `code` of a JSON-RPC error; a failed tool is a result with `isError` */
  callTool<Name extends keyof Tools & string>(
    name: Name,
    args?: Tools[Name]['arguments'],
  ): Promise<CallResult<Tools[Name]['output']>>;
  getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
  ): Promise<{ readonly description?: string; readonly messages: readonly PromptMessage[] }>;
  readResource(uri: string): Promise<{ readonly contents: readonly JsonObject[] }>;
  /** Completes an argument of a prompt, or a variable of a resource template. */
  complete(
    ref: { readonly prompt: string } | { readonly resource: string },
    argument: { readonly name: string; readonly value: string },
    filled?: Readonly<Record<string, string>>,
  ): Promise<{ readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }>;
  /** Any other request. Its result is as the server sent it. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Replaces the answers of the user, within the same capabilities. */
  answer(user: UserScript): void;
  /** Waits for a notification, also an earlier one. @throws Error if it does not come in time */
  waitForNotification(method: string, timeoutMs?: number): Promise<ServerNotification>;
  /** Ends the connection and the server. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** Default: `modern` if the server speaks it. */
  readonly era?: Era | undefined;
  readonly client?: ClientIdentity | undefined;
  /** Answers of the user, the model and the client. The client has the capabilities that these need. */
  readonly user?: UserScript | undefined;
  /** Longest wait for one answer, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 10_000;

/** Connects a client to a server under test. The server ends with it. @throws the error of the handshake */
export async function connectTestServer(
  target: TestTarget,
  stderr: () => string,
  { era, client, user: script = {}, timeoutMs = defaultTimeoutMs }: TestServerOptions,
): Promise<TestServer> {
  let user = new FakeUser(script);
  const eras: readonly Era[] = era ? [era] : ['modern', 'legacy'];
  let connection: ClientConnection | undefined;
  let failure: unknown;
  for (const one of eras) {
    connection ??= await target
      .connect({ era: one, client, user, timeoutMs, listens: true })
      .catch((error: unknown) => {
        failure ??= error;
        return undefined;
      });
  }
  if (!connection) {
    await target.close();
    throw failure;
  }
  const session = connection;
  const close = async () => {
    await session.close();
    await target.close();
  };
  const request = async (method: string, params: JsonObject = {}) => await session.request(method, params);
  return {
    info: session.serverInfo,
    instructions: session.instructions,
    capabilities: session.serverCapabilities,
    get notifications() {
      return session.notifications;
    },
    get questions() {
      return user.questions;
    },
    get stderr() {
      return stderr();
    },
    listTools: async () => (await session.list('tools')) as unknown as readonly ListedTool[],
    listPrompts: async () => await session.list('prompts'),
    listResources: async () => await session.list('resources'),
    listResourceTemplates: async () => await session.list('resourceTemplates'),
    callTool: async (name, args = {}) => {
      const { content = [], ...rest } = await request('tools/call', { name, arguments: args });
      const blocks = content as readonly ContentBlock[];
      const text = blocks.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n');
      return { ...rest, content: blocks, text } as CallResult<never>;
    },
    getPrompt: async (name, args = {}) => (await request('prompts/get', { name, arguments: args })) as never,
    readResource: async (uri) => (await request('resources/read', { uri })) as never,
    complete: async (ref, argument, filled) => {
      const named =
        'prompt' in ref
          ? { type: 'ref/prompt', name: ref.prompt }
          : { type: 'ref/resource', uri: ref.resource };
      const context = filled && { context: { arguments: filled } };
      return (await request('completion/complete', { ref: named, argument, ...context })).completion as never;
    },
    request,
    answer: (next) => {
      user = new FakeUser(next);
      session.answerAs(user);
    },
    waitForNotification: async (method, waitMs = timeoutMs) => {
      const find = () => session.notifications.find((one) => one.method === method);
      await session.waitFor(() => find() !== undefined, waitMs);
      const found = find();
      if (found) return found;
      throw new Error(`The server sent no ${method} within ${waitMs / 1000} s.`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
