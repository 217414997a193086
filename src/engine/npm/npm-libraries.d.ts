// Used parts of npm's own libraries, which have no types.

declare module '@npmcli/config' {
  interface ConfigData {
    readonly data: Readonly<Record<string, unknown>>;
    /** As written, with variables in place. */
    readonly raw?: Readonly<Record<string, unknown>>;
    /** The file, or a note in parentheses. */
    readonly source?: string | null;
  }

  export default class Config {
    constructor(options: {
      readonly definitions: unknown;
      readonly shorthands: unknown;
      readonly flatten: unknown;
      readonly nerfDarts: unknown;
      readonly npmPath: string;
      readonly argv: readonly string[];
      readonly env: Record<string, string | undefined>;
      readonly execPath: string;
      readonly platform: string;
      readonly cwd: string;
      readonly warn: boolean;
    });
    load(): Promise<void>;
    /** Combined values of all files, variables and defaults, with the names of npm's libraries. */
    readonly flat: Readonly<Record<string, unknown>>;
    /** Values of each source, with the names of `.npmrc`. */
    readonly data: ReadonlyMap<string, ConfigData>;
    get(key: string): unknown;
    /** Removes a value of one source. */
    delete(key: string, source: string): void;
  }
}

declare module '@npmcli/config/lib/definitions/index.js' {
  export const definitions: unknown;
  export const shorthands: unknown;
  export const flatten: unknown;
  export const nerfDarts: unknown;
}

declare module 'npm-package-arg' {
  export interface PackageArgument {
    readonly type: 'version' | 'range' | 'tag' | 'alias' | 'git' | 'remote' | 'file' | 'directory';
    readonly name: string | null;
    readonly fetchSpec: string | null;
    readonly rawSpec: string;
  }
  export default function npa(text: string, where?: string): PackageArgument;
}

declare module 'npm-registry-fetch' {
  export interface RegistryResponse {
    readonly status: number;
    /** Address after redirects. */
    readonly url: string;
    readonly headers: { get(name: string): string | null };
    readonly body: {
      on(event: 'data', listener: (part: Buffer) => void): void;
      on(event: 'end', listener: () => void): void;
      on(event: 'error', listener: (error: unknown) => void): void;
      resume(): void;
    };
  }
  export default function fetch(
    uri: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<RegistryResponse>;
}

declare module 'ssri' {
  const ssri: {
    checkData(data: Buffer, integrity: string, options: { readonly error: true }): unknown;
  };
  export default ssri;
}
