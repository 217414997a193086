import { mkdir, symlink, truncate } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { diagnose } from '../../../src/engine/validate/validate.js';
import { makePackage, packageJson } from './support/package.js';
import { optionsFor } from './support/validating.js';

const file = 'agenttools/apps/card.html';
const handshake = `<script>parent.postMessage({ method: 'ui/initialize', then: 'ui/notifications/initialized' })</script>`;

/** A package with an app; `files` are laid over it. */
async function packageWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  return await makePackage({ 'package.json': packageJson({ apps: ['card'] }), ...files });
}

async function found(folder: string): Promise<readonly string[]> {
  const { diagnostics } = await diagnose(folder, optionsFor());
  return diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

test('reports a page that is a folder or too large', async () => {
  const folder = await packageWith({});
  await mkdir(path.join(folder, file), { recursive: true });
  expect(await found(folder)).toEqual([
    'invalid-app: The page of app "card", agenttools/apps/card.html, is not a file.',
  ]);

  const large = await packageWith({ [file]: '' });
  await truncate(path.join(large, file), 17 * 1024 * 1024);
  expect(await found(large)).toEqual([
    'invalid-app: The page of app "card", agenttools/apps/card.html, is larger than 16 MB.',
    expect.stringContaining(
      'app-too-large: The page of app "card", agenttools/apps/card.html, has 17408 KB.',
    ),
  ]);
});

test('metadata without a page is a page that is missing', async () => {
  expect(await found(await packageWith({ 'agenttools/apps/card.json': {} }))).toEqual([
    'missing-definition: App "card" has no definition. Expected agenttools/apps/card.html.',
  ]);
});

test('a page or its metadata that leads out of the package is not read', async () => {
  const outside = await makePackage({ 'card.html': '<p>', 'card.json': { domains: 1 } });
  const page = await packageWith({ 'agenttools/apps/other.txt': '' });
  await symlink(path.join(outside, 'card.html'), path.join(page, file));
  expect(await found(page)).toEqual([
    'path-outside-package: agenttools/apps/card.html is a link that leads out of the package.',
  ]);
  const metadata = await packageWith({ [file]: `<!doctype html>${handshake}` });
  await symlink(path.join(outside, 'card.json'), path.join(metadata, 'agenttools/apps/card.json'));
  expect(await found(metadata)).toEqual([
    'path-outside-package: agenttools/apps/card.json is a link that leads out of the package.',
  ]);
});

test('a page that npm leaves out is missed, and so is its metadata', async () => {
  const folder = await makePackage({
    'package.json': packageJson({ apps: ['card'] }, { files: ['src'] }),
    [file]: `<!doctype html>${handshake}`,
    'agenttools/apps/card.json': { prefersBorder: true },
  });
  expect(await found(folder)).toEqual([
    expect.stringContaining('not-packed: The definition of app "card", agenttools/apps/card.html, is not'),
    expect.stringContaining('not-packed: The metadata of app "card", agenttools/apps/card.json, is not'),
  ]);
});

test('sixty kilobytes are no fault, one byte more is, and characters are counted as they are stored', async () => {
  const start = `<!doctype html><meta charset="utf-8">${handshake}<p>ééé`;
  const filled = (size: number) => start + 'x'.repeat(size - Buffer.byteLength(start));
  expect(await found(await packageWith({ [file]: filled(60 * 1024) }))).toEqual([]);
  expect(await found(await packageWith({ [file]: filled(60 * 1024 + 1) }))).toEqual([
    expect.stringContaining('has 61 KB'),
  ]);
});

test('allows URLs that the metadata declares, flat or under "ui"', async () => {
  const page = `<!doctype html>${handshake}<img src="https://a.example/1.png">`;
  const csp = { resourceDomains: ['https://a.example'] };
  for (const metadata of [{ csp }, { ui: { csp } }]) {
    expect(await found(await packageWith({ [file]: page, 'agenttools/apps/card.json': metadata }))).toEqual(
      [],
    );
  }
  expect(await found(await packageWith({ [file]: page }))).toEqual([
    'blocked-by-csp: The page of app "card" requests "https://a.example/1.png" (<img src>). Its policy does not allow that. Put the content into the page, or add "https://a.example" to csp.resourceDomains in its metadata.',
  ]);
});

test.each([
  ['<img src="data:image/png;base64,AA">', undefined],
  ['<video poster="data:image/png;base64,AA" src="data:video/mp4;base64,AA"></video>', undefined],
  ['<link rel="icon" href="data:,">', undefined],
  ['<style>a { background: url(data:image/png;base64,AA) }</style>', undefined],
  ['<script>image.src = "data:image/png;base64," + text</script>', undefined],
  ['<iframe src="about:blank"></iframe>', undefined],
  ['<img src="blob:x">', '"blob:x" (<img src>)'],
  ['<script>image.src = URL.createObjectURL(file)</script>', '"blob:" (.src)'],
  ['<script>new Worker(URL.createObjectURL(file))</script>', '"blob:" (new Worker())'],
  ['<script>fetch("data:text/csv,1")</script>', '"data:text/csv,1" (fetch())'],
  ['<script src="data:text/javascript,1"></script>', '"data:text/javascript,1" (<script src>)'],
  ['<iframe src="data:text/html,1"></iframe>', '"data:text/html,1" (<iframe src>)'],
  ['<link rel="stylesheet" href="data:text/css,a{}">', '"data:text/css,a{}" (<link href>)'],
  [
    '<style>@font-face { src: url(data:font/woff2;base64,AA) }</style>',
    '"data:font/woff2;base64,AA" (@font-face)',
  ],
])('reads the URL in %s as %s', async (html, what) => {
  const reported = await found(await packageWith({ [file]: `<!doctype html>${handshake}${html}` }));
  expect(reported).toEqual(
    what === undefined
      ? []
      : [expect.stringContaining(`requests ${what}. Only images, sound and video can have`)],
  );
});

test('resolves relative URLs against <base>, which must be declared, too', async () => {
  const page = `<!doctype html><base href="https://a.example/app/">${handshake}<img src="1.png">`;
  const csp = { resourceDomains: ['https://a.example'] };
  const metadata = 'agenttools/apps/card.json';
  expect(await found(await packageWith({ [file]: page, [metadata]: { csp } }))).toEqual([
    expect.stringContaining('add "https://a.example" to csp.baseUriDomains'),
  ]);
  const both = { csp: { ...csp, baseUriDomains: ['https://a.example'] } };
  expect(await found(await packageWith({ [file]: page, [metadata]: both }))).toEqual([]);
});

test('with metadata that cannot be read, what is allowed is not known, and not guessed', async () => {
  const page = `<!doctype html>${handshake}<img src="https://a.example/1.png"><script>eval('1')</script>`;
  expect(await found(await packageWith({ [file]: page, 'agenttools/apps/card.json': '{' }))).toEqual([
    expect.stringMatching(/^invalid-app-metadata: agenttools\/apps\/card\.json/),
    expect.stringMatching(/^blocked-by-csp: The page of app "card" uses eval\(\)/),
  ]);
});
