/** True for a file with test cases, such as `greet.case.json`, by its name. */
export function isCaseFile(name: string): boolean {
  return /.\.case\.(?:json|[cm]?js|[cm]?ts)$/.test(name);
}

/** True for a file of `agenttools test` beside a definition: cases, or their snapshots. */
export function isTestFile(name: string): boolean {
  return isCaseFile(name) || name.endsWith(snapshotEnding);
}

/** End of the name of a file with snapshots: `greet.case.snapshot.json` for `greet.case.json`. */
export const snapshotEnding = '.case.snapshot.json';
