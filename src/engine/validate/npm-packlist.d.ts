declare module 'npm-packlist' {
  /** The package properties that packlist reads. A node of npm's own tree has this form. */
  interface PackageNode {
    readonly path: string;
    readonly package: Readonly<Record<string, unknown>>;
    readonly isProjectRoot: boolean;
    readonly edgesOut: ReadonlyMap<string, unknown>;
  }
  export default function packlist(tree: PackageNode): Promise<string[]>;
}
