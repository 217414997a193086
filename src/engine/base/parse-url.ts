/**
 * Returns a URL; undefined if the text is not one. `URL.canParse` of Node 20 and 22 refuses texts such as
 * `https://bücher.example` after some thousand calls.
 * @see https://github.com/AikidoSec/firewall-node/pull/1086
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
