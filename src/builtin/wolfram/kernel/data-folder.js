import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The data folder of AgentTools: `AGENTTOOLS_HOME`; default: the standard data folder of the platform. */
export function dataFolder({
  env = process.env,
  home = os.homedir(),
  platform = process.platform,
  cwd = process.cwd(),
} = {}) {
  if (env.AGENTTOOLS_HOME) return path.resolve(cwd, env.AGENTTOOLS_HOME);
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'agenttools');
  if (platform === 'win32') {
    return path.join(absolute(env.LOCALAPPDATA) ?? path.join(home, 'AppData', 'Local'), 'agenttools', 'Data');
  }
  return path.join(absolute(env.XDG_DATA_HOME) ?? path.join(home, '.local', 'share'), 'agenttools');
}

/** The path if it is absolute. Relative paths of the environment are ignored. */
function absolute(folder) {
  return folder && path.isAbsolute(folder) ? folder : undefined;
}
