import type { Severity } from '../extension/diagnostics.js';

/** A kind of finding. */
export interface FindingKind {
  readonly severity: Severity;
  /** For the list of all codes. */
  readonly summary: string;
  /** Consequence for the user, as a sentence after the message. */
  readonly why: string;
}

/** Every finding of `doctor`. `docs/doctor.md` has a section for each. */
export const findingKinds = {
  'doctor/unreadable-file': {
    severity: 'error',
    summary: 'A config file cannot be parsed or opened.',
    why: 'The client sees none of its servers.',
  },
  'doctor/unsupported-syntax': {
    severity: 'error',
    summary: 'A config file has a comment or comma that its client cannot read.',
    why: 'The client sees none of its servers.',
  },
  'doctor/byte-order-mark': {
    severity: 'error',
    summary: 'A config file begins with a byte order mark that its client cannot read.',
    why: 'The client sees none of its servers.',
  },
  'doctor/duplicate-key': {
    severity: 'warning',
    summary: 'A map of a config file has the same key twice.',
    why: 'The client uses only one of the values.',
  },
  'doctor/wrong-container': {
    severity: 'warning',
    summary: 'A config file has its servers under the key of another client.',
    why: 'The client ignores these servers.',
  },
  'doctor/invalid-entry': {
    severity: 'warning',
    summary: 'An entry has neither a program nor an address.',
    why: 'The client cannot start the server.',
  },
  'doctor/invalid-key': {
    severity: 'warning',
    summary: 'The client does not accept the key of an entry.',
    why: 'The client leaves the server out, or cannot call its tools.',
  },
  'doctor/moved-home': {
    severity: 'error',
    summary: 'An entry has paths in a former home folder.',
    why: 'The client cannot start the server.',
  },
  'doctor/dead-program': {
    severity: 'error',
    summary: 'The program of an entry does not exist.',
    why: 'The client cannot start the server.',
  },
  'doctor/dead-script': {
    severity: 'error',
    summary: 'The script or folder of an entry does not exist.',
    why: 'The client cannot start the server.',
  },
  'doctor/missing-program': {
    severity: 'error',
    summary: 'The program of an entry is not on the PATH.',
    why: 'The client cannot start the server.',
  },
  'doctor/server-missing': {
    severity: 'error',
    summary: 'The package of an installed server is missing.',
    why: 'The client cannot start the server.',
  },
  'doctor/moved-record': {
    severity: 'warning',
    summary: 'An entry of AgentTools is in another home folder than its record.',
    why: 'AgentTools cannot update or remove it.',
  },
  'doctor/entry-edited': {
    severity: 'warning',
    summary: 'An entry of AgentTools was edited by hand.',
    why: 'AgentTools no longer updates it.',
  },
  'doctor/entry-gone': {
    severity: 'warning',
    summary: 'An entry of AgentTools is no longer in its file.',
    why: 'The client does not have the server.',
  },
  'doctor/unreadable-record': {
    severity: 'warning',
    summary: 'A record of installed servers cannot be read.',
    why: 'AgentTools cannot update or remove its entries.',
  },
  'doctor/start-failed': {
    severity: 'error',
    summary: 'A server does not start or does not answer.',
    why: 'The client shows none of its tools.',
  },
  'doctor/frozen-changed': {
    severity: 'warning',
    summary: 'A frozen server lists other items than the recorded ones.',
    why: 'The client gets only items that are as recorded.',
  },
  'doctor/upstream-unavailable': {
    severity: 'warning',
    summary: 'A server starts, but a server behind it does not answer.',
    why: 'The client lacks the tools of that server.',
  },
  'doctor/duplicate-server': {
    severity: 'warning',
    summary: 'A client starts the same server twice.',
    why: 'Its tools are listed twice, and use twice the tokens.',
  },
  'doctor/name-clash': {
    severity: 'warning',
    summary: 'Two scopes of a client have different servers under one key.',
    why: 'One of them hides the other.',
  },
  'doctor/readable-secrets': {
    severity: 'warning',
    summary: 'Other users of this machine can read a file with secrets.',
    why: 'They can use the secrets.',
  },
  'doctor/clear-text-secret': {
    severity: 'warning',
    summary: 'An entry holds a secret in clear text.',
    why: 'Each program that reads the file, and each copy of it, has the secret.',
  },
  'doctor/missing-secret': {
    severity: 'error',
    summary: 'An entry refers to a secret that is not stored.',
    why: 'The server does not start.',
  },
  'doctor/untrusted-folder': {
    severity: 'warning',
    summary: 'The client does not trust the folder of a project.',
    why: 'It starts no server of the project.',
  },
  'doctor/disabled-server': {
    severity: 'info',
    summary: 'A server is switched off in its client.',
    why: 'The client does not start it.',
  },
  'doctor/tool-count': {
    severity: 'warning',
    summary: 'A client gets more tools than it accepts.',
    why: 'Some tools are missing, or the model chooses among too many.',
  },
  'doctor/token-budget': {
    severity: 'warning',
    summary: 'The tools of a client use many tokens of each request.',
    why: 'Requests cost more, and less of the context is left for the conversation.',
  },
  'doctor/lost-tools': {
    severity: 'warning',
    summary: 'A client loses or damages tools of a server.',
    why: 'The model cannot use them as their author intended.',
  },
  'doctor/outdated': {
    severity: 'info',
    summary: 'A newer version of a server is published.',
    why: 'The client starts the older one.',
  },
  'doctor/vulnerable': {
    severity: 'warning',
    summary: 'An installed package has known vulnerabilities.',
    why: 'Others may attack this machine through the server.',
  },
  'doctor/registry-unavailable': {
    severity: 'info',
    summary: 'A registry does not answer about versions or vulnerabilities.',
    why: 'These checks were not done.',
  },
  'doctor/client-too-old': {
    severity: 'warning',
    summary: 'The installed version of a client does not support an entry.',
    why: 'The client leaves the server out, or reads none of the file.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

export type FindingCode = keyof typeof findingKinds;

/** All codes with their severity and summary, in the order of reports. */
export const findingTable: readonly (Pick<FindingKind, 'severity' | 'summary'> & {
  readonly code: FindingCode;
})[] = Object.entries(findingKinds).map(([code, { severity, summary }]) => ({
  code: code as FindingCode,
  severity,
  summary,
}));
