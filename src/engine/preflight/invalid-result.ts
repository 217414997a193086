import { isRecord, isString } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';

const mostFaults = 3;

/** Describes an answer that the SDK rejects, as the end of a sentence. Returns other messages unchanged. */
export function describeInvalidResult(message: string): string {
  const [, method, json = ''] = /^Invalid result for ([\w/]+): (\[.*\])$/s.exec(message) ?? [];
  if (method === undefined) return message;
  try {
    const issues: unknown = JSON.parse(json);
    const faults = (Array.isArray(issues) ? issues : []).filter(isRecord).map(describeIssue);
    const more = faults.length > mostFaults ? `; ${faults.length - mostFaults} more` : '';
    return `clients refuse its answer to ${method}. ${faults.slice(0, mostFaults).join('; ')}${more}`;
  } catch {
    return message;
  }
}

function describeIssue({ path, message }: Readonly<Record<string, unknown>>): string {
  const place = Array.isArray(path) ? path.join('/') : '';
  return `${place}: ${isString(message) ? shortenText(message, 200) : 'invalid'}`;
}
