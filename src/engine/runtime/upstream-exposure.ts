import { isLoopback } from '../base/loopback.js';
import { parseUrl } from '../base/parse-url.js';
import { findSecretReferences } from '../base/secret-reference.js';
import { isString } from '../base/value-checks.js';
import { textsIn } from '../extension/check-upstream.js';
import { findVariables, withoutVariables } from '../extension/variables.js';
import type { UpstreamExposure, UpstreamSpec } from './upstream.js';

/** The exposure by a written endpoint. A function as an endpoint can read all variables, and names none. */
export function readExposure(written: Readonly<Record<string, unknown>>): UpstreamExposure {
  const texts = [...textsIn(written)].map(({ text }) => text);
  const variables = texts.flatMap(findVariables).map(({ name }) => name);
  const secrets = texts.flatMap(findSecretReferences).map((name) => `secret:${name}`);
  return {
    variables: [...new Set([...variables, ...secrets])],
    ...(isString(written.url) ? readAddress(written.url) : { host: undefined, isReadable: false }),
  };
}

/** The host as written: a variable in it may be any host. */
function readAddress(written: string): Pick<UpstreamExposure, 'host' | 'isReadable'> {
  const [, host] = /^[a-z][\w+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(written) ?? [];
  const isFixed = host !== undefined && findVariables(host).length === 0;
  const url = isFixed ? parseUrl(withoutVariables(written)) : undefined;
  return {
    host: url?.host ?? host ?? written,
    isReadable: /^http:/i.test(written) && !(url && isLoopback(url.hostname)),
  };
}

/** One sentence for each upstream server that gets variables; and for each remote one by plain http. */
export function describeExposures(
  upstreams: readonly Pick<UpstreamSpec, 'name' | 'exposure'>[],
): readonly string[] {
  const sentences = upstreams.flatMap(({ name, exposure }) => {
    if (!exposure) return [];
    const { variables, host, isReadable } = exposure;
    const risk = 'by plain http, which others on the way can read and change';
    if (variables.length === 0) return isReadable ? [`The server connects to ${host} ${risk}.`] : [];
    const what = variables.join(', ');
    if (host === undefined) return [`The server gives ${what} to the program ${name}.`];
    return [`The server sends ${what} to ${host}${isReadable ? ` ${risk}` : ''}.`];
  });
  return [...new Set(sentences)];
}
