/** A problem of a value, with a message that lets a model fix it. */
export interface SchemaIssue {
  /** JSON pointer into the value, `''` for the whole. */
  readonly path: string;
  readonly message: string;
}

/** Joins issues to one line: `message at /path; message at /path`. The path takes the place of a label. */
export function formatIssues(issues: readonly SchemaIssue[]): string {
  const told = issues.slice(0, maxIssuesReported).map(({ path, message }) => {
    if (path === '') return message;
    const label = `${formatPathName(fromPointer(path), '')}: `;
    const text = message.startsWith(label) ? message.slice(label.length) : message;
    return `${text.replace(/\.$/, '')} at ${path}`;
  });
  const untold = issues.length - told.length;
  return untold > 0 ? `${told.join('; ')}; and ${untold} more` : told.join('; ');
}

const maxIssuesReported = 20;

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function fromPointer(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns a parameter's name for messages: its own key, with indexes; `whole` for an empty path. */
export function formatPathName(path: readonly PropertyKey[], whole: string): string {
  let start = path.length - 1;
  while (start > 0 && isIndex(path[start])) start--;
  const [key, ...indexes] = path.slice(Math.max(start, 0));
  return key === undefined ? whole : `"${String(key)}${indexes.map((i) => `[${String(i)}]`).join('')}"`;
}

function isIndex(key: PropertyKey | undefined): boolean {
  return /^\d+$/.test(String(key));
}

/** A problem of a schema; the path points into it. */
export interface WireIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
