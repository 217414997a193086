import type { ExternalRequest } from './page-findings.js';

/**
 * A comment, a font rule, the end of a block, an import, a URL, or a string. Strings match so that their
 * content is skipped.
 */
const tokens =
  /\/\*[\s\S]*?(?:\*\/|$)|(?<font>@font-face\s*\{)|(?<end>\})|(?<import>@import\s+)(?:url\(\s*)?(?:"(?<a>[^"\n]*)"|'(?<b>[^'\n]*)'|(?<c>[^\s"'();]+))|url\(\s*(?:"(?<d>[^"\n]*)"|'(?<e>[^'\n]*)'|(?<f>[^"'()\s]*))\s*\)|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/gi;

/** The URLs that a stylesheet, or the style of one element, loads. */
export function* requestsOfStyle(css: string): Generator<ExternalRequest> {
  let isFont = false;
  for (const { groups = {}, index } of css.matchAll(tokens)) {
    const { a, b, c, d, e, f, font, end } = groups;
    if (font !== undefined || end !== undefined) isFont = font !== undefined;
    const url = a ?? b ?? c ?? d ?? e ?? f;
    if (url === undefined) continue;
    const by = groups.import !== undefined ? '@import' : isFont ? '@font-face' : 'url()';
    yield { url, lists: ['resourceDomains'], by, offset: index };
  }
}
