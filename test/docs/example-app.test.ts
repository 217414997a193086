import { expect, test } from 'vitest';
import { callOnce } from '../../src/engine/serve/call-once.js';
import { openWorkspace } from '../support/packages.js';
import { fixture } from '../support/program.js';

test('has all facts of the app in its text', async () => {
  const workspace = openWorkspace();
  const { content, structuredContent } = await callOnce(
    await workspace.findServer(fixture('weather-app')),
    workspace,
    {
      tool: 'forecast',
      args: { place: 'Ostwick', days: 2 },
      env: {},
      report: () => {},
      signal: AbortSignal.timeout(10_000),
    },
  );
  expect(content).toEqual([
    { type: 'text', text: 'Forecast for Ostwick\nDay 1: rain, 16 °C\nDay 2: wind, 14 °C' },
  ]);
  expect(structuredContent).toEqual({
    place: 'Ostwick',
    unit: 'celsius',
    days: [
      { day: 1, sky: 'rain', temperature: 16 },
      { day: 2, sky: 'wind', temperature: 14 },
    ],
  });
});
