import type { Adapt } from '../runtime/adapt.js';

/**
 * A server with its options, as a server set declares it. `${NAME}` or `${env:NAME}` in texts, and `$NAME` as a whole text,
 * is the value of a secret.
 */
export interface ServerDeclaration {
  /** Reference, as `install` takes it; absent with `command`. */
  readonly server?: string;
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly transport?: 'http' | 'sse';
  /** `tool.option=value` */
  readonly toolOptions?: readonly string[];
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly prefix?: string;
  readonly rename?: Readonly<Record<string, string>>;
  readonly catalog?: boolean;
  /** False: UI apps are off. */
  readonly apps?: boolean;
  readonly cwd?: string;
  /** Default: `node`. */
  readonly run?: 'node' | 'npx';
  readonly dev?: boolean;
  readonly frozen?: boolean;
  readonly adapt?: Adapt;
  /** Options of `start` for the sandbox. */
  readonly sandbox?: readonly string[];
  readonly allowScripts?: readonly string[];
  readonly allowFindings?: readonly string[];
  readonly requireProvenance?: boolean;
  readonly sha256?: string;
}

/** Escapes texts in the form of names. */
export function escapeNames(text: string): string {
  return text.replaceAll('${', '$${').replace(/^\$(?=\$*[A-Za-z_]\w*$)/, '$$$$');
}

const nameInText = /\$\$\{|\$\{(?:env:)?([A-Za-z_][\w.-]*)\}|^\$(?=\$+[A-Za-z_]\w*$)|^\$([A-Za-z_]\w*)$/g;

/** Names in a text. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(nameInText)].flatMap(([, braced, bare]) => braced ?? bare ?? []);
}

/** Replaces the names in a text by values. */
export function fillNames(text: string, fill: (name: string, isWhole: boolean) => string): string {
  return text.replace(nameInText, (found, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    return name === undefined ? found.slice(1) : fill(name, found === text);
  });
}
