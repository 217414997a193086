import process from 'node:process';
import { findKernel, gettingAnEngine, MissingProgram, withoutKeys } from './programs.js';

const paclet = 'Wolfram/AgentTools';

/**
 * Starts the server of the user's paclet, or reports that it is missing. A kernel without the paclet would not speak
 * MCP.
 */
const startExpression = [
  `If[PacletFind["${paclet}"] === {},`,
  `WriteString["stderr", "The Wolfram kernel has no paclet ${paclet}. Install it with PacletInstall[\\"${paclet}\\"] in a Wolfram session.\\n"]; Exit[1],`,
  `PacletSymbol["${paclet}", "Wolfram\`AgentTools\`StartMCPServer"][]]`,
].join(' ');

/** Environment variables of the kernel, and of programs of the platform. */
const handedOn =
  /^(WOLFRAM|MATHEMATICA|MATHLM|MATHINIT)|^(APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|DISPLAY|LANG|LC_ALL|XDG_[A-Z_]+)$/i;

/**
 * Endpoint of the tools that require a kernel: the MCP server of the paclet Wolfram/AgentTools in the user's kernel.
 * @throws a branded ToolError that names the missing part
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
      // The server with all of these tools.
      MCP_SERVER_NAME: 'WolframPacletDevelopment',
      // Its apps are not declared by this package.
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
    `This tool needs a Wolfram kernel with the paclet ${paclet}, and no kernel was found. ${gettingAnEngine} Then install the paclet with PacletInstall["${paclet}"]. If the kernel is in another folder, set WOLFRAM_KERNEL to its path.`,
  );
}

/** An error with a message for the model. */
function toolError(message) {
  return Object.assign(new Error(message), { [Symbol.for('agenttools/tool-error')]: true });
}
