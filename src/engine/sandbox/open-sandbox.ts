import { AgentToolsError } from '../base/errors.js';
import type { Sandbox, SandboxRequest } from './sandbox.js';

/** Opens a sandbox of the level. @throws AgentToolsError if this system cannot enforce a permission with it */
export async function openSandbox(request: SandboxRequest): Promise<Sandbox> {
  if (request.level === 'node') {
    const { NodeSandbox } = await import('./node-sandbox.js');
    return NodeSandbox.open(request);
  }
  if (request.platform !== 'linux') throw unsupported(request.platform);
  const { BubblewrapSandbox } = await import('./bubblewrap-sandbox.js');
  return await BubblewrapSandbox.open(request);
}

function unsupported(platform: NodeJS.Platform): AgentToolsError {
  const name = platform === 'darwin' ? 'macOS' : platform === 'win32' ? 'Windows' : platform;
  return new AgentToolsError(
    'refused',
    `The sandbox needs bubblewrap, which ${name} does not have. Start the server in a Linux container or virtual machine, with the weaker permission model of Node: --sandbox=node, or without its sandbox: --no-sandbox`,
  );
}
