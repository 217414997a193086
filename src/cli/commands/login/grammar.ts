import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';

/** Adds `login`. */
export function defineLogin(program: Command, { host, answer }: CommandContext): void {
  const login = program
    .command('login')
    .summary('sign in to a remote server')
    .description(
      'Signs in to a remote MCP server in the browser, and stores the tokens for all commands and clients that use the server through AgentTools.',
    )
    .argument(
      '<server>',
      'its address (https://…), an entry of the MCP Registry, or the key of an installed server',
    )
    .option('--no-browser', 'print the address for the sign-in, do not open the browser')
    .option('--scope <scopes>', 'the rights to ask for, separated by spaces; default: as the server requires')
    .option(
      '--client-id <id>',
      'the id of a client that you have registered, or the URL of its metadata document',
    )
    .option('--client-secret <source>', 'its secret: secret:NAME, or - for stdin')
    .option('--private-key <source>', 'its private key instead of a secret: a PEM file, or secret:NAME')
    .option('--client-credentials', 'sign in as a machine, with the credentials of the client alone')
    .option('--issuer <url>', 'the authorization server to expect; any other is refused')
    .option('--callback-port <port>', 'the port of the redirect address; default: a free port', readPort)
    .option('--json', 'print the sign-in as JSON, without tokens');
  addInputOptions(login).action(async (server: string) => {
    const { loginCommand } = await import('./run.js');
    const options = login.opts();
    answer(
      await loginCommand(
        {
          server,
          existing: serverInput(login),
          useBrowser: options.browser,
          scope: options.scope,
          clientId: options.clientId,
          clientSecret: options.clientSecret,
          privateKey: options.privateKey,
          isMachine: options.clientCredentials ?? false,
          issuer: options.issuer,
          port: options.callbackPort,
          json: options.json ?? false,
        },
        host,
      ),
    );
  });
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new InvalidArgumentError('Expected a number from 1 to 65535.');
}
