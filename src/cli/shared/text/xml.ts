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

/** Escapes a text, and spells out the characters that XML 1.0 cannot hold. Line breaks of attributes stay. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, spellOut)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\t', '&#9;');
}

function spellOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
