import { AgentToolsError } from '../../engine/base/errors.js';
import { ownProgram } from '../../engine/base/folders.js';
import { visibleText } from '../../engine/base/visible-text.js';
import type { NpmDeps, OutgoingSettings } from '../../engine/npm/npm-dependencies.js';
import type { Host } from '../../host.js';
import { askYesNo } from './ask-question.js';

/** Inputs for the npm settings of the user, from the process environment. Outgoing settings of the project are left out. */
export function npmSetting(host: Host): NpmDeps {
  const allowOutgoing = decideOnce(host, noted, async (outgoing) => {
    const advice = 'These settings are not used. Put them into your own .npmrc if you trust them';
    host.stderr.write(visibleText(`note: ${describeOutgoing(outgoing)} ${advice}.\n`));
    return false;
  });
  return { ...baseSetting(host), allowOutgoing };
}

/** The same for commands that install: the user decides about outgoing settings of the project. */
export function askingNpmSetting(
  host: Host,
  { yes, tell }: { readonly yes: boolean; readonly tell: (text: string) => void },
): NpmDeps {
  const allowOutgoing = decideOnce(host, asked, async (outgoing) => {
    tell('');
    const what = visibleText(describeOutgoing(outgoing));
    const answer = yes || (await askYesNo(`${what} Use it?`, host));
    if (answer !== undefined) return answer;
    throw new AgentToolsError('refused', `${what} Allow it with --yes, or put it into your own .npmrc.`);
  });
  return { ...baseSetting(host), allowOutgoing };
}

function baseSetting({ cwd, env, home, platform }: Host): NpmDeps {
  return { cwd, env, home, platform, execPath: ownProgram().command };
}

type Decide = NonNullable<NpmDeps['allowOutgoing']>;

type Decisions = WeakMap<Host, Promise<boolean>>;

/** Decisions by command, since settings are read many times: of lookups, and of installs. */
const [noted, asked]: readonly [Decisions, Decisions] = [new WeakMap(), new WeakMap()];

function decideOnce(host: Host, decisions: Decisions, decide: Decide): Decide {
  return async (outgoing) => {
    const decision = decisions.get(host) ?? decide(outgoing);
    decisions.set(host, decision);
    return await decision;
  };
}

/** `/project/.npmrc sends NPM_TOKEN to npm.example.com.` */
function describeOutgoing({ file, settings }: OutgoingSettings): string {
  const parts = settings.map(({ key, variables, host }) => {
    if (variables.length === 0) return host === undefined ? `sets ${key}` : `sends all requests by ${host}`;
    return `sends ${variables.join(', ')} to ${host ?? 'a registry'}`;
  });
  return `${file} ${[...new Set(parts)].join(', ')}.`;
}
