import process from 'node:process';
import { findKernel, gettingAnEngine, MissingProgram, withoutKeys } from './programs.js';

const paclet = 'Wolfram/AgentTools';

/**
 * Starts the server of the user's own paclet, or says that there is none: a kernel without it would answer nothing that
 * anybody understands.
 */
const startExpression = [
  `If[PacletFind["${paclet}"] === {},`,
  `WriteString["stderr", "The Wolfram kernel has no paclet ${paclet}. Install it with PacletInstall[\\"${paclet}\\"] in a Wolfram session.\\n"]; Exit[1],`,
  `PacletSymbol["${paclet}", "Wolfram\`AgentTools\`StartMCPServer"][]]`,
].join(' ');

/** The kernel's own, and what programs of the system look for. */
const handedOn =
  /^(WOLFRAM|MATHEMATICA|MATHLM|MATHINIT)|^(APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|DISPLAY|LANG|LC_ALL|XDG_[A-Z_]+)$/i;

/**
 * Where the tools that only a kernel can do are: the MCP server of the paclet Wolfram/AgentTools, in the user's kernel.
 * @throws an error branded as one of tools, with what is missing
 */
export async function place({ env = process.env } = {}) {
  const command = await kernelOf(env);
  return {
    command,
    args: ['-run', startExpression, '-noinit', '-noprompt'],
    env: {
      ...Object.fromEntries(
        Object.entries(withoutKeys(env)).filter(([name, value]) => value && handedOn.test(name)),
      ),
      // The one that has all of these tools.
      MCP_SERVER_NAME: 'WolframPacletDevelopment',
      // Its apps are not ours to show.
      MCP_APPS_ENABLED: 'false',
    },
  };
}

async function kernelOf(env) {
  try {
    const kernel = await findKernel(env);
    if (kernel) return kernel;
  } catch (error) {
    if (error instanceof MissingProgram) throw toolError(error.message);
    throw error;
  }
  throw toolError(
    `This tool needs a Wolfram kernel with the paclet ${paclet}, and no kernel was found. ${gettingAnEngine} Then install the paclet with PacletInstall["${paclet}"]. If the kernel is somewhere unusual, set WOLFRAM_KERNEL to its path.`,
  );
}

/** An error whose message is for the model to read. */
function toolError(message) {
  return Object.assign(new Error(message), { [Symbol.for('agenttools/tool-error')]: true });
}
