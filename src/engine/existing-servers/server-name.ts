/**
 * Short name of a server for people and entry keys: without scope, and without parts that only mark an MCP server.
 * `@modelcontextprotocol/server-filesystem` becomes `filesystem`, `@playwright/mcp` becomes `playwright`.
 */
export function shortServerName(name: string): string {
  const parts = name.replace(/^@/, '').split('/');
  for (const part of parts.toReversed()) {
    const short = withoutMarks(part);
    if (short !== '') return short;
  }
  return parts.at(-1) ?? name;
}

/** Prefixes and suffixes that mark an MCP server, longest first. */
const marks = [
  /^(?:mcp-server-|server-|mcp-)/,
  /(?:-mcp-server|-server-mcp|-mcp|-server)$/,
  /^(?:mcp|server|mcp-server)$/,
];

function withoutMarks(part: string): string {
  return marks.reduce((text, mark) => text.replace(mark, ''), part);
}

/**
 * Short name of a remote server: the name of its site. `https://mcp.example.com/mcp` becomes `example`. Hosts without
 * a site often have a server on each of several ports: `http://10.0.0.7:8080/mcp` becomes `server-10-0-0-7-8080`.
 */
export function siteName(url: string): string {
  const { hostname, port } = new URL(url);
  const withPort = (name: string) => (port === '' ? name : `${name}-${port}`);
  if (['127.0.0.1', '[::1]'].includes(hostname)) return withPort('localhost');
  if (/^[\d.]+$|^\[/.test(hostname))
    return withPort(`server-${hostname.replace(/[^0-9a-f]+/g, '-').replace(/^-|-$/g, '')}`);
  if (!hostname.includes('.')) return withPort(hostname);
  const labels = hostname.split('.');
  // Two-letter domains often have a second level, as in `co.uk`.
  const isSecondLevel = labels.length > 2 && labels.at(-1)!.length === 2 && labels.at(-2)!.length <= 3;
  return labels.at(isSecondLevel ? -3 : -2) ?? hostname;
}

/** Short name of a container image: its last part without tag and digest. */
export function imageName(image: string): string {
  const [plain = image] = image.split('@');
  return shortServerName(plain.slice(plain.lastIndexOf('/') + 1).replace(/:.*$/, ''));
}

/** An image without tag and digest, which are the same image in other versions. */
export function imageWithoutTag(image: string): string {
  return image.replace(/@.*$|:[^/]*$/, '');
}
