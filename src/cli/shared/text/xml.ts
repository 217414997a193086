/** An element that ends its line. `content` is XML. */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content?: string,
): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(`${value}`)}"`);
  const open = `<${name}${list.join('')}`;
  if (content === undefined) return `${open}/>\n`;
  return `${open}>${content.startsWith('<') ? '\n' : ''}${content}</${name}>\n`;
}

/** Escapes a text. XML 1.0 has no form for most control characters. Line breaks of attributes stay. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\t', '&#9;');
}
