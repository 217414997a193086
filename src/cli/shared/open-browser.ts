import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../../engine/base/find-program.js';
import type { Host } from '../../host.js';

/** Programs that open an address in the browser of the user, with their first arguments. No shell reads the address. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser of the user. Returns false without a browser on this screen. */
export async function openBrowser(
  address: URL,
  { env, platform }: Pick<Host, 'env' | 'platform'>,
): Promise<boolean> {
  if (!/^https?:$/.test(address.protocol) || !hasScreen({ env, platform })) return false;
  const [name, ...args] = openers[platform] ?? ['xdg-open'];
  const file = await findProgram(name, env);
  if (file === undefined) return false;
  const child = spawn(file, [...args, address.href], { env: { ...env }, stdio: 'ignore', detached: true });
  child.unref();
  return await once(child, 'spawn').then(
    () => true,
    () => false,
  );
}

/** A browser on another machine, or in a terminal, is of no use. */
function hasScreen({ env, platform }: Pick<Host, 'env' | 'platform'>): boolean {
  if (env.SSH_CONNECTION) return false;
  return platform in openers || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
