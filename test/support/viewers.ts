import { readFileSync } from 'node:fs';
import path from 'node:path';
import { source as axe } from 'axe-core';
import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import { faultsOf } from './app-messages.js';
import { type DeclaredOrigins, type HostedApp, type OpenOptions, openApp } from './browser.js';
import { root } from './program.js';

const apps = path.join(root, 'src/builtin/wolfram/agenttools/apps');

/** The bundled viewers. */
export const viewers = [
  'mcp-apps-test',
  'notebook-viewer',
  'evaluator-viewer',
  'wolframalpha-viewer',
] as const;
export type Viewer = (typeof viewers)[number];

export const notebookUrl = 'https://www.wolframcloud.com/obj/01234567-89ab-4cde-8f01-23456789abcd';

/** What stands before a result with that notebook, and the address that comes of it. */
export const mark = text('<result uuid="01234567-89ab-4cde-8f01-23456789abcd">\n');
export const marked: string = `${notebookUrl}?syntaxMethod=editor`;

export function text(content: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: content };
}

/** A picture, by itself and as a block. */
export const chart: string = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="160"><path d="M10 150 90 120 170 96 250 60 350 14" fill="none" stroke="#d1300b" stroke-width="3"/><path d="M10 10v140h340" fill="none" stroke="#777"/></svg>',
).toString('base64');
export const image = { type: 'image', data: chart, mimeType: 'image/svg+xml' } as const;

export const pageOf = (viewer: Viewer): string => readFileSync(path.join(apps, `${viewer}.html`), 'utf8');

/** What hosts are told of a viewer. */
function metadataOf(viewer: Viewer): { readonly csp?: DeclaredOrigins } {
  return JSON.parse(readFileSync(path.join(apps, `${viewer}.json`), 'utf8'));
}

/** A viewer in a host that keeps to its metadata. */
export async function openViewer(viewer: Viewer, options: Partial<OpenOptions> = {}): Promise<HostedApp> {
  return await openApp({
    html: pageOf(viewer),
    csp: metadataOf(viewer).csp ?? {},
    outside: () => '<!doctype html><title>Outside</title>',
    ...options,
  });
}

/** Every message was one of the protocol, nothing went wrong in the page, and it asked for nothing it may not have. */
export function expectNoFaults(app: HostedApp): void {
  const faults = app.messages.flatMap(({ from, message }) => (from === 'app' ? faultsOf(message) : []));
  expect(faults).toEqual([]);
  expect(app.errors).toEqual([]);
  expect(app.violations).toEqual([]);
}

/** What keeps people from using a page: the rules of WCAG 2 A and AA, as axe finds them. */
export async function barriersOf(frame: Frame): Promise<readonly string[]> {
  await frame.evaluate(axe);
  return await frame.evaluate(
    `axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html.slice(0, 120), failureSummary].join(' '))))`,
  );
}
