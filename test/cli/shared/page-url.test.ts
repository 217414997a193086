import { expect, test } from 'vitest';
import { pageUrl } from '../../../src/cli/shared/page-url.js';

const published = { name: 'agenttools', version: '1.2.3' };
const inRepository = 'https://github.com/acme/tools/blob/v1.2.3/docs/rules/text/blank-space.md';

test.each([
  [undefined, 'https://app.unpkg.com/agenttools@1.2.3/files/docs/rules/text/blank-space.md'],
  [{ url: 'git+https://github.com/acme/tools.git' }, inRepository],
  [{ url: 'git@github.com:acme/tools.git' }, inRepository],
  ['github:acme/tools', inRepository],
])('with the repository %j', (repository, url) => {
  const about = { ...published, ...(repository && { repository }) };
  expect(pageUrl('rules/text/blank-space.md', about)).toBe(url);
});
