import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { positionAt } from '../../../src/engine/base/files/json-text.js';
import { readPage } from '../../../src/engine/validate/page/analyze-page.js';

/** `what url @line:column` of all that a page asks for. */
function asked(html: string): readonly string[] {
  return readPage(html).reaches.map(({ by, url, offset }) => {
    const { line, column } = positionAt(html, offset);
    return `${by} ${url} @${line}:${column}`;
  });
}

function evaluated(script: string): readonly string[] {
  return readPage(`<!doctype html><script>${script}</script>`).evaluations.map(({ by }) => by);
}

test.each([
  ['<!doctype html>', true],
  ['<!DOCTYPE HTML>', true],
  ['<!doctype html SYSTEM "about:legacy-compat">', true],
  ['<!doctype svg>', false],
  ['<!doctype html PUBLIC "-//W3C//DTD HTML 4.01//EN">', false],
  ['<p>', false],
])('%s is the doctype of HTML: %s', (html, has) => expect(readPage(html).hasDoctype).toBe(has));

describe('markup', () => {
  test.each([
    ['<img src=a.png>', ['<img src> a.png @1:6']],
    ['<img srcset="a.png 1x, b,c.png 2x">', ['<img srcset> a.png @1:6', '<img srcset> b,c.png @1:6']],
    ['<svg><image xlink:href="a.png"/></svg>', ['<image href> a.png @1:13']],
    ['<template><img src="a.png"></template>', ['<img src> a.png @1:16']],
    ['<link rel="preload stylesheet" href="a.css">', ['<link href> a.css @1:32']],
    ['<link rel="shortcut icon" href="a.ico">', ['<link href> a.ico @1:27']],
    ['<link rel="author" href="https://a.example">', []],
    ['<a href="https://a.example">A</a>', []],
    ['<!-- <img src="a.png"> -->', []],
    ['<p>&lt;img src="a.png"></p>', []],
    ['<textarea><img src="a.png"></textarea>', []],
    ['<button formaction="/go">Go</button>', ['<button formaction> /go @1:9']],
    ['<img src="https://a.example/?a=1&amp;b=2">', ['<img src> https://a.example/?a=1&b=2 @1:6']],
  ])('%s', (html, expected) => expect(asked(html)).toEqual(expected));
});

describe('styles', () => {
  test.each([
    ['<style>a{background:url(a.png)}</style>', ['url() a.png @1:21']],
    ['<style>\r\n\r\n@import url("a.css");</style>', ['@import a.css @3:1']],
    [`<style>@import 'a.css' screen;</style>`, ['@import a.css @1:8']],
    ['<style>a::after{content:"url(a.png)"}</style>', []],
    ['<style>/* url(a.png)', []],
    [
      '<style>@font-face {src:url(a.woff)} a{background:url(a.png)}</style>',
      ['@font-face a.woff @1:24', 'url() a.png @1:50'],
    ],
    [`<p style="background:url('a.png')">`, ['url() a.png @1:4']],
  ])('%s', (html, expected) => expect(asked(html)).toEqual(expected));
});

describe('scripts', () => {
  test.each([
    ['fetch("/a")', ['fetch() /a']],
    [`window.fetch(\`/a/\${b}\`)`, ['fetch() /a/']],
    [`const a = "https://a.example", b = a + "/v1"; fetch(\`\${b}/c\`)`, ['fetch() https://a.example/v1/c']],
    ['fetch(new URL("b", "https://a.example/"))', ['fetch() https://a.example/']],
    ['fetch(new Request("https://a.example/"))', ['fetch() https://a.example/']],
    ['fetch("https://" + host + "/a")', []],
    ['const a = b, b = a; fetch(a)', []],
    ['const a = "/x"; { const a = "/y"; fetch(a) }', []],
    ['let a = "/x"; fetch(a)', []],
    ['fetch(address)', []],
    ['open("https://a.example")', []],
    ['store.open("name", "/a")', []],
    ['x.open("get", "/a")', ['XMLHttpRequest /a']],
    ['new Worker("a.js")', ['new Worker() a.js']],
    ['new Map("a")', []],
    ['new Worker(URL.createObjectURL(blob))', ['new Worker() blob:']],
    [`fetch(\`data:text/csv,\${rows}\`)`, ['fetch() data:text/csv,']],
    ['image.src = "a.png"', ['.src a.png']],
    ['import("https://a.example/m.js")', ['import() https://a.example/m.js']],
    ['// fetch("/a")', []],
    ['const text = "fetch(\'/a\')", pattern = /fetch("\\/a")/', []],
  ])('%s', (script, expected) => {
    const found = readPage(`<!doctype html><script>${script}</script>`).reaches;
    expect(found.map(({ by, url }) => `${by} ${url}`)).toEqual(expected);
  });

  test('modules import, data does nothing, handlers are scripts', () => {
    expect(asked('<script type="module">import a from "a"; export * from "./b.js";</script>')).toEqual([
      'import a @1:37',
      'import ./b.js @1:56',
    ]);
    expect(asked('<script type="application/json">{"a": "fetch(1)"}</script>')).toEqual([]);
    expect(asked('<p onclick="return fetch(\'/a\')">')).toEqual(['fetch() /a @1:4']);
  });

  test('locates faults correctly with any line ending', () => {
    const html = '<!doctype html>\r\n<script>\r\n\r\n  const a = ;\r\n</script>';
    const [fault] = readPage(html).faults;
    expect(positionAt(html, fault!.offset)).toEqual({ line: 4, column: 13 });
  });
});

describe('text that is run', () => {
  test.each([
    ['eval("1")', ['eval()']],
    ['window.eval("1")', ['eval()']],
    ['new Function("return 1")', ['new Function()']],
    ['Function("return 1")', ['new Function()']],
    ['setTimeout("go()", 1)', ['setTimeout() with text']],
    ['setTimeout(go, 1)', []],
    ['WebAssembly.instantiate(bytes)', ['WebAssembly']],
    ['try { new Function("") } catch { mayNot() }', []],
    ['try { work() } catch { eval("1") }', ['eval()']],
    ['evaluate("1")', []],
  ])('%s', (script, expected) => expect(evaluated(script)).toEqual(expected));
});

describe('the handshake', () => {
  const all = ['postMessage', 'ui/initialize', 'ui/notifications/initialized'];

  test.each([
    ['', all],
    ['<p>postMessage ui/initialize ui/notifications/initialized</p>', all],
    ['<script>// postMessage("ui/initialize", "ui/notifications/initialized")</script>', all],
    ['<script>parent["postMessage"]({ method: `ui/initialize` })</script>', [all[2]]],
    ['<script src="https://a.example/app.js"></script>', []],
    ['<script>const</script>', []],
  ])('%s', (html, unsaid) => expect(readPage(`<!doctype html>${html}`).unsaid).toEqual(unsaid));

  test('the official library is found to know it, and to need nothing that is blocked', () => {
    const file = new URL(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'));
    const script = readFileSync(file, 'utf8').replaceAll('</script', '<\\/script');
    const page = readPage(`<!doctype html><script type="module">${script}</script>`);
    expect(page).toMatchObject({ unsaid: [], reaches: [], evaluations: [], faults: [] });
  });
});

test.each([
  ['long sums', `"a"${' + "b"'.repeat(1000)}`],
  ['longer sums', `"a"${' + "b"'.repeat(20_000)}`],
  ['what no stack holds', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
])('code that nests is no fault: %s', (_, code) => {
  const { faults, unsaid } = readPage(`<!doctype html><script>f(${code}, "ui/initialize")</script>`);
  expect({ faults, unsaid }).toEqual({ faults: [], unsaid: ['postMessage', 'ui/notifications/initialized'] });
});

test.each([
  ['values', `<script>f([${'1,'.repeat(300_000)}])</script>`],
  ['elements', '<br>'.repeat(300_000)],
  ['elements within each other', '<b>'.repeat(20_000)],
  ['addresses', `<style>a{${'b:url(a);'.repeat(50_000)}}</style>`],
])('many %s are read', (_, html) => {
  expect(readPage(`<!doctype html>${html}`).faults).toEqual([]);
});
