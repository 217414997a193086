import type { ArgumentTemplate, ProgramRunner } from './existing-server.js';

/** A runner that fetches its server. Its kind is the name of its program. */
type FetchingRunner = Extract<ProgramRunner, { readonly by: 'uvx' | 'docker' | 'dnx' }>;

/**
 * Arguments of a runner before the arguments of the server. Containers get variables by name, so that no argument contains a secret.
 * @see https://docs.astral.sh/uv/reference/cli/#uv-tool-run, https://docs.docker.com/reference/cli/docker/container/run/,
 * https://learn.microsoft.com/dotnet/core/tools/dotnet-tool-exec
 */
export function runnerArguments(
  runner: FetchingRunner,
  variables: readonly string[],
): readonly ArgumentTemplate[] {
  switch (runner.by) {
    case 'uvx': {
      const { name, version, script, options } = runner;
      const spec = version === undefined ? name : `${name}==${version}`;
      return [...options, ...fixed(script === undefined ? [spec] : ['--from', spec, script])];
    }
    case 'docker': {
      const names = variables.flatMap((name) => ['-e', name]);
      return [...fixed(['run', '-i', '--rm', ...names]), ...runner.options, ...fixed([runner.image])];
    }
    case 'dnx': {
      const { name, version, options } = runner;
      const spec = version === undefined ? name : `${name}@${version}`;
      return [...options, ...fixed([spec, '--yes', '--'])];
    }
  }
}

function fixed(words: readonly string[]): readonly ArgumentTemplate[] {
  return words.map((word) => ({ words: [[word]] }));
}
