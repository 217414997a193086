export interface Run {
  readonly name: string;
  readonly suite: 'next' | 'stable';
  readonly args: readonly string[];
  readonly scenarios: number;
}
export declare const packages: Readonly<Record<Run['suite'], string>>;
export declare const runs: readonly Run[];
export declare const httpDuties: Readonly<Record<string, string>>;
export declare const alwaysSkipped: Readonly<Record<string, string>>;
