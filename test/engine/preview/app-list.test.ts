import { describe, expect, test } from 'vitest';
import { chooseApp, listApps, mayAppsCall } from '../../../src/engine/preview/app-list.js';

const mimeType = 'text/html;profile=mcp-app';
const inputSchema = { type: 'object' };
const nested = { name: 'forecast', inputSchema, _meta: { ui: { resourceUri: 'ui://acme/weather/viewer' } } };
const flat = { name: 'alerts', inputSchema, _meta: { 'ui/resourceUri': 'ui://acme/weather/alerts' } };
const bare = { name: 'plain', inputSchema };
const tools = [bare, nested, flat];
const resources = [
  { uri: 'ui://acme/weather/board', name: 'board', title: 'Board', mimeType },
  { uri: 'ui://acme/weather/data', name: 'data', mimeType: 'text/html' },
  { uri: 'https://a.example/', name: 'page', mimeType },
];
const apps = listApps(tools, resources);

test('lists the apps of tools, by either key, then the listed apps', () => {
  expect(apps).toEqual([
    { uri: 'ui://acme/weather/viewer', name: 'viewer', title: 'viewer', tools: ['forecast'] },
    { uri: 'ui://acme/weather/alerts', name: 'alerts', title: 'alerts', tools: ['alerts'] },
    { uri: 'ui://acme/weather/board', name: 'board', title: 'Board', tools: [] },
  ]);
});

test.each([
  [undefined, true],
  [['model', 'app'], true],
  [['app'], true],
  [['model'], false],
  [[], false],
])('a tool with the visibility %j is for apps: %s', (visibility, expected) => {
  expect(mayAppsCall({ ...bare, _meta: { ui: { visibility } } })).toBe(expected);
});

describe('the selected app', () => {
  test.each([
    ['nothing', {}, { app: 'ui://acme/weather/viewer', tool: 'forecast' }],
    ['a tool', { tool: 'alerts' }, { app: 'ui://acme/weather/alerts', tool: 'alerts' }],
    ['a name', { app: 'board' }, { app: 'ui://acme/weather/board' }],
    [
      'a qualified name',
      { app: '@acme/weather/alerts' },
      { app: 'ui://acme/weather/alerts', tool: 'alerts' },
    ],
    ['an address', { app: 'ui://acme/weather/board' }, { app: 'ui://acme/weather/board' }],
    [
      'a tool in another app',
      { app: 'board', tool: 'plain' },
      { app: 'ui://acme/weather/board', tool: 'plain' },
    ],
  ])('by %s', (_, words, expected) => expect(chooseApp({ apps, tools }, words)).toEqual(expected));

  test.each([
    [{ app: 'bord' }, 'There is no app "bord". Did you mean "board"?'],
    [{ tool: 'zzz' }, 'There is no tool "zzz". Its tools: plain, forecast, alerts.'],
    [{ tool: 'plain' }, 'The tool "plain" has no app. Name one of: viewer, alerts, board.'],
  ])('%j is an error', (words, message) => expect(() => chooseApp({ apps, tools }, words)).toThrow(message));

  test('a server without apps is an error', () => {
    expect(() => chooseApp({ apps: [], tools }, {})).toThrow(/has no apps to show\. Declare one/);
  });
});
