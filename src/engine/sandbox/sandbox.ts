import type { SandboxLevel } from './levels.js';
import type { SandboxPermissions } from './permissions.js';

type Variables = Readonly<Record<string, string>>;

/** A sandbox to open. */
export interface SandboxRequest {
  readonly level: SandboxLevel;
  readonly permissions: SandboxPermissions;
  /** Folders with code of the server and of AgentTools, which the programs can read. */
  readonly code: readonly string[];
  readonly home: string;
  /** Data folder of AgentTools, which no permission may include. */
  readonly dataFolder: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** A program to start without a shell. */
export interface SandboxedProgram {
  /** A name on the `PATH`, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  /** All variables of the program. */
  readonly env: Variables;
  /** True if the user has named the program. Others must be permitted, or belong to the code of the server. */
  readonly isNamed: boolean;
  /** Folders in which the command and the arguments of a named program can name files. Absent: anywhere. */
  readonly argumentFolders?: readonly string[] | undefined;
  /** True for the extension host, which AgentTools starts with trusted flags. */
  readonly isHost?: boolean;
}

/** A command line that starts a program in the sandbox. */
export interface SandboxedLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables of the sandbox itself, which may give the program others. */
  readonly env: Variables;
  /** Text to write to the extra descriptor, which the sandbox reads to its end: other users cannot see it. Absent: no descriptor. */
  readonly words?: string;
}

/** Starts programs that can use nothing but the permitted files, hosts, programs and variables. */
export interface Sandbox {
  /** Noun for the means in use: `bubblewrap`. */
  readonly means: string;
  readonly permissions: SandboxPermissions;
  /** Identifies the permissions in records. */
  readonly key: string;
  /** The permitted variables of an environment, with the private `HOME` and `TMPDIR`. */
  environment(env: Readonly<Record<string, string | undefined>>): Variables;
  /**
   * Prepares the start of a program. `descriptor`: an open descriptor of the new process for the words.
   * @throws AgentToolsError if the program is missing or not permitted
   */
  launch(program: SandboxedProgram, descriptor: number): SandboxedLaunch;
  /** Removes the private files and ends the proxy. */
  close(): Promise<void>;
}
