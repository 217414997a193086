import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { describeInBrowser, openBrowser } from '../support/browser.js';
import { type DevProgram, startDev } from '../support/dev.js';
import { writePackage } from '../support/packages.js';
import { viewer } from '../support/preview.js';

const code = (word: string) => `
  export const greet = ({ name = 'you' }) => { console.error('greets ' + name); return '${word} ' + name; };
  export const order = async (_, { elicit }) => {
    const answer = await elicit('How many?', { count: { type: 'integer', required: true } });
    return answer.action + ' ' + JSON.stringify(answer.content ?? null);
  };
  export const weather = (_, { place }) => 'Weather in ' + place;
  export const rain = () => 'Rain';`;

const manifest = {
  tools: ['greet', 'order', 'rain'],
  prompts: ['brief'],
  resources: ['about', 'weather'],
  apps: ['viewer'],
};

let page: Page;
let dev: DevProgram;
let directory: string;

async function open(): Promise<void> {
  directory = writePackage(manifest, {
    'agenttools/tools.json': {
      greet: { description: 'Greets.', input: { name: { type: 'string' } }, handler: './code.js#greet' },
      order: { description: 'Orders.', handler: './code.js#order' },
      rain: { description: 'Rains.', handler: './code.js#rain', ui: 'viewer' },
    },
    'agenttools/prompts/brief.json': {
      description: 'Briefs.',
      arguments: [{ name: 'topic', required: true }],
      content: { template: 'Tell me of {{topic}}.' },
    },
    'agenttools/resources/about.json': { uri: 'kit://about', name: 'about', text: 'All about it.' },
    'agenttools/resources/weather.json': {
      uriTemplate: 'kit://weather/{place}',
      name: 'weather',
      read: './code.js#weather',
    },
    'agenttools/apps/viewer.html': viewer(),
    'code.js': code('Hello'),
  });
  dev = await startDev(directory);
  const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  await page.goto(dev.page);
  await page.getByLabel('Kind').waitFor();
}

const write = async (file: string, text: string) => await writeFile(path.join(directory, file), text);
const result = (text: string) => page.locator('#result').getByText(text).waitFor();

async function use(kind: string, item: string, button: string): Promise<void> {
  await page.getByLabel('Kind').selectOption(kind);
  await page.locator('#tool').selectOption(item);
  await page.getByRole('button', { name: button, exact: true }).click();
}

async function accessibilityFaults(): Promise<unknown> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  return await page.evaluate(
    `axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
  );
}

describeInBrowser('in a browser, the page of dev', () => {
  afterEach(async () => {
    await page.context().close();
    expect(await dev.end()).toBe(0);
  });

  test('uses tools, prompts, resources, templates and apps, and shows output and tokens', async () => {
    await open();
    await page.locator('#tool').selectOption('greet');
    await page.getByLabel('name').fill('Ada');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await result('Hello Ada');
    await page.locator('#stderr').filter({ hasText: 'greets Ada' }).waitFor({ state: 'attached' });
    await page.getByLabel('Kind').selectOption('prompts');
    await page.getByLabel('topic *').fill('rain');
    await use('prompts', 'brief', 'Get');
    await result('Tell me of rain.');
    await use('resources', 'kit://about', 'Read');
    await result('All about it.');
    await page.locator('#tool').selectOption('kit://weather/{place}');
    await page.getByLabel('place', { exact: true }).fill('Köln');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await result('Weather in Köln');
    await use('tools', 'rain', 'Call');
    await page
      .frameLocator('#place iframe')
      .frameLocator('iframe')
      .getByText('Rain', { exact: true })
      .waitFor();
    expect(await page.locator('#tokens').textContent()).toMatch(
      /The tools need .*\d+ tokens of each request\./,
    );
    expect(await page.title()).toMatch(/ – dev$/);
  });

  test('updates on each swap, keeps the input, repeats the call, and shows the faults of broken files', async () => {
    await open();
    await page.locator('#tool').selectOption('greet');
    await page.getByLabel('name').fill('Ada');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await result('Hello Ada');
    await write('code.js', code('Goodbye'));
    await result('Goodbye Ada');
    expect(await page.getByLabel('name').inputValue()).toBe('Ada');
    await write('code.js', 'export const greet = ;');
    await page.locator('#diagnostics').getByText('error code.js:1:22').waitFor();
    await page.getByText('The version before is served until this is fixed.').first().waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await result('Goodbye Ada');
    await write('code.js', code('Again'));
    await page.getByText('The current files are served.').waitFor();
    await result('Again Ada');
  });

  test('answers questions of the server', async () => {
    await open();
    await use('tools', 'order', 'Call');
    const dialog = page.getByRole('dialog', { name: 'The server asks' });
    await dialog.getByText('How many?').waitFor();
    expect(await accessibilityFaults()).toEqual([]);
    await dialog.getByLabel('count *').fill('many');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.getByText('"count" is to be a number.').waitFor();
    await dialog.getByLabel('count *').fill('3');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await result('accept {"count":3}');
    await dialog.waitFor({ state: 'hidden' });
    await use('tools', 'order', 'Call');
    await dialog.getByRole('button', { name: 'Decline' }).click();
    await result('decline null');
    await use('tools', 'order', 'Call');
    await dialog.getByText('How many?').waitFor();
    await page.keyboard.press('Escape');
    await result('cancel null');
  });

  test('has no accessibility violations in either theme', async () => {
    await open();
    await use('tools', 'greet', 'Call');
    await result('Hello you');
    for (const theme of ['light', 'dark']) {
      await page.getByLabel('Theme').selectOption(theme);
      expect(await accessibilityFaults()).toEqual([]);
    }
  });
});
