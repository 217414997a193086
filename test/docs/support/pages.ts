import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A fenced block of a page. Words after its language say what it is, as in ```` ```json file=package.json ````:
 *
 * - `file=<path>`: a file of an example package; `package=<name>` says which one when a page has several.
 * - `lists=<kind>/<wire name>`: what the package's server shows of an item; `lists=server` its `serverInfo`.
 *   With `ui`, what clients see of a tool that show apps.
 * - `call=<tool>`, `get=<prompt>`, `read=<uri>`: what is sent and what comes back.
 * - `left-out`: what `start` says of the items it leaves out.
 * - `deploy=<file>`: a module that `test/http/deploy.test.ts` runs, or what a shell or a proxy is told, which
 *   `test/http/proxies.test.ts` runs.
 * - `workflow=<name>`, `run=<name>`, `repository=<file>`, `output=<name>`, `fault`: workflows, commands, files and output in
 *   `test/docs/ci.test.ts`.
 * - `set`, `table`: a server set and the table of `sync` for it, in `test/docs/sync.test.ts`.
 * - `capture=<name>`: what a command prints at a terminal, in `test/docs/captures.test.ts`.
 * - `program=<file>`: a program that uses `agenttools/engine`.
 * - `dialogue=arguments`, `dialogue=answer`: what a tool that asks is called with, and what the model reads in the end; held
 *   by `test/stdio/expert-system.test.ts`.
 * - `server=<name>` says which server is meant when the package has several.
 */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly words: Readonly<Record<string, string>>;
  readonly text: string;
}

const folder = fileURLToPath(new URL('../../../docs', import.meta.url));

/** The pages about the format, by name. */
export const pages: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => [file.slice(0, -'.md'.length), readFileSync(path.join(folder, file), 'utf8')]),
);

/** Every fenced block, in order. */
export const blocks: readonly Block[] = Object.entries(pages).flatMap(([page, text]) => blocksOf(page, text));

function blocksOf(page: string, text: string): Block[] {
  const fences = text.matchAll(/^```(\w*)([^\n]*)\n(.*?)^```$/gms);
  return [...fences].map(({ 1: language = '', 2: info = '', 3: body = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    words: Object.fromEntries(
      info
        .trim()
        .split(/\s+/)
        .filter((word) => word !== '')
        .map((word) => {
          const [key, ...value] = word.split('=');
          return [key!, value.join('=')];
        }),
    ),
    text: body,
  }));
}
