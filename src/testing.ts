/** Functions for tests of extensions and MCP servers, with any test runner. See docs/testing.md. */

import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Writable } from 'node:stream';
import { existingDeps, findExisting } from './cli/shared/existing.js';
import { mayBeExisting } from './cli/shared/may-be-existing.js';
import { prepareEndpoint } from './engine/bridge/existing-resolver.js';
import type { JsonObject } from './engine/protocol/envelope.js';
import { existingTarget, serveExtension, type TestTarget } from './engine/testing/served-target.js';
import {
  connectTestServer,
  type TestServer,
  type TestServerOptions,
  type ToolTypes,
} from './engine/testing/test-server.js';
import type { Host } from './host.js';

export type { ElicitAnswer, Question, SampleAnswer, UserScript } from './engine/testing/fake-user.js';
export type {
  CaseExpectation,
  ExpectedNotification,
  TestCase,
  TestCases,
} from './engine/testing/test-case.js';
export type { ClientIdentity, ServerNotification } from './engine/testing/test-client.js';
export {
  type ContextRecords,
  createTestContext,
  type TestClock,
  type TestContext,
  type TestContextOptions,
} from './engine/testing/test-context.js';
export type {
  CallResult,
  ListedTool,
  TestServer,
  TestServerOptions,
  ToolTypes,
} from './engine/testing/test-server.js';

export interface StartOptions extends TestServerOptions {
  /** Name of the server, if the package has several. */
  readonly server?: string;
  /** Variables of the server, in addition to the variables of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of tools, by name. */
  readonly options?: JsonObject;
  /** Folder of relative paths. Default: the working directory. */
  readonly cwd?: string;
}

/** A program that speaks MCP over stdio. */
export interface ServerCommand {
  readonly command: string;
  readonly args?: readonly string[];
}

/**
 * Starts a server and connects a client to it.
 * @param server a package folder, the qualified name of a server, or an existing server: `npm:name`, a URL, a command
 * @throws AgentToolsError if there is no such server; the error of the handshake
 */
export async function startTestServer<Tools extends ToolTypes = ToolTypes>(
  server: string | ServerCommand,
  options: StartOptions = {},
): Promise<TestServer<Tools>> {
  const { env = {}, cwd = process.cwd() } = options;
  const output = new CollectedOutput();
  const host: Host = {
    cwd: path.resolve(cwd),
    env: { ...process.env, ...env },
    home: homedir(),
    platform: process.platform,
    stdin: process.stdin,
    stdout: output,
    stderr: output,
    color: false,
    exit: () => {},
  };
  const target = await openTarget(server, options, host, output);
  return (await connectTestServer(target, () => output.text, options)) as unknown as TestServer<Tools>;
}

async function openTarget(
  server: string | ServerCommand,
  { server: name, options }: StartOptions,
  host: Host,
  output: CollectedOutput,
): Promise<TestTarget> {
  const report = (line: string) => void output.write(`${line}\n`);
  const command = typeof server === 'string' ? undefined : [server.command, ...(server.args ?? [])];
  const word = typeof server === 'string' ? server : undefined;
  const named = command || mayBeExisting(word) ? await findExisting(word, command, host) : undefined;
  if (named) {
    const signal = new AbortController().signal;
    const deps = existingDeps(host, { signal, report, tell: () => {} });
    const given = { env: [], args: [], headers: [] };
    const { endpoint } = await prepareEndpoint({ ...named, given }, deps);
    return existingTarget(endpoint, (text) => void output.write(text));
  }
  const reference =
    name === undefined || word === undefined ? (word ?? '.') : `${word.replace(/\/+$/, '')}/${name}`;
  return await serveExtension({ server: reference, host, options, report });
}

/** Keeps the output of a server. */
class CollectedOutput extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
