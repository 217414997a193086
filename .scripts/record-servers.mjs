// Records the surfaces of real MCP servers in test/recorded-servers/, which tests compare with the surfaces through
// AgentTools. `node .scripts/record-servers.mjs [name…]` installs the newest versions from npm into a temporary folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const root = fileURLToPath(new URL('..', import.meta.url));
const recordings = path.join(root, 'test/recorded-servers');
const largestAnswer = 20_000;
/** A text about the container that a server runs in. */
const container =
  /\\n\\n\u{1F433} DOCKER(?:: Prefer paths within mounted directories: [^.]*\.| CONTAINER[\s\S]*?(?=\\n {8}))/gu;

/** A server that needs credentials for everything but its lists. */
const listsWith = (env) => ({ env, isListed: true });

/** Largest recording in characters. Larger servers are not recorded. */
const largestRecording = 200_000;

/** Servers by the names of their recordings. `args` may contain the temporary folder as `{folder}`. */
const servers = {
  everything: { package: '@modelcontextprotocol/server-everything' },
  filesystem: { package: '@modelcontextprotocol/server-filesystem', args: ['{folder}'] },
  memory: { package: '@modelcontextprotocol/server-memory' },
  'sequential-thinking': { package: '@modelcontextprotocol/server-sequential-thinking' },
  playwright: { package: '@playwright/mcp', args: ['--headless'] },
  'chrome-devtools': {
    package: 'chrome-devtools-mcp',
    bin: 'chrome-devtools-mcp',
    args: ['--headless', '--isolated'],
  },
  context7: { package: '@upstash/context7-mcp' },
  kubernetes: { package: 'mcp-server-kubernetes' },
  notion: { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'none' } },
  mongodb: { package: 'mongodb-mcp-server', env: { MDB_MCP_TELEMETRY: 'disabled' } },
  'desktop-commander': {
    package: '@wonderwhy-er/desktop-commander',
    bin: 'desktop-commander',
    args: ['--no-onboarding'],
  },
  'budget-allocator': { package: '@modelcontextprotocol/server-budget-allocator', args: ['--stdio'] },
  github: {
    package: '@modelcontextprotocol/server-github',
    ...listsWith({ GITHUB_PERSONAL_ACCESS_TOKEN: 'none' }),
  },
  'gitlab-reference': {
    package: '@modelcontextprotocol/server-gitlab',
    ...listsWith({ GITLAB_PERSONAL_ACCESS_TOKEN: 'none' }),
  },
  gitlab: {
    package: '@zereight/mcp-gitlab',
    bin: 'mcp-gitlab',
    ...listsWith({ GITLAB_PERSONAL_ACCESS_TOKEN: 'none' }),
  },
  slack: {
    package: '@modelcontextprotocol/server-slack',
    ...listsWith({ SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' }),
  },
  postgres: {
    package: '@modelcontextprotocol/server-postgres',
    args: ['postgresql://127.0.0.1:9/none'],
    ...listsWith({}),
  },
  puppeteer: { package: '@modelcontextprotocol/server-puppeteer', ...listsWith({}) },
  'google-maps': {
    package: '@modelcontextprotocol/server-google-maps',
    ...listsWith({ GOOGLE_MAPS_API_KEY: 'none' }),
  },
  stripe: { package: '@stripe/mcp', args: ['--api-key=sk_test_none', '--tools=all'], ...listsWith({}) },
  supabase: { package: '@supabase/mcp-server-supabase', args: ['--access-token=sbp_none'], ...listsWith({}) },
  firecrawl: { package: 'firecrawl-mcp', ...listsWith({ FIRECRAWL_API_KEY: 'none' }) },
  exa: { package: 'exa-mcp-server', ...listsWith({ EXA_API_KEY: 'none' }) },
  tavily: { package: 'tavily-mcp', ...listsWith({ TAVILY_API_KEY: 'none' }) },
  'brave-search': {
    package: '@brave/brave-search-mcp-server',
    args: ['--transport', 'stdio'],
    ...listsWith({ BRAVE_API_KEY: 'none' }),
  },
  apify: { package: '@apify/actors-mcp-server', ...listsWith({ APIFY_TOKEN: 'none' }) },
  figma: { package: 'figma-developer-mcp', args: ['--stdio', '--figma-api-key=none'], ...listsWith({}) },
  sentry: { package: '@sentry/mcp-server', args: ['--access-token=none'], ...listsWith({}) },
  heroku: { package: '@heroku/mcp-server', ...listsWith({ HEROKU_API_KEY: 'none' }) },
  'azure-devops': { package: '@azure-devops/mcp', args: ['none'], ...listsWith({}) },
  hubspot: { package: '@hubspot/mcp-server', ...listsWith({ PRIVATE_APP_ACCESS_TOKEN: 'none' }) },
  elasticsearch: {
    package: '@elastic/mcp-server-elasticsearch',
    ...listsWith({ ES_URL: 'http://127.0.0.1:9', ES_API_KEY: 'none' }),
  },
  upstash: {
    package: '@upstash/mcp-server',
    args: ['--email', 'none@example.com', '--api-key', 'none'],
    ...listsWith({}),
  },
  airtable: { package: 'airtable-mcp-server', ...listsWith({ AIRTABLE_API_KEY: 'none' }) },
  'shopify-dev': { package: '@shopify/dev-mcp', ...listsWith({ OPT_OUT_INSTRUMENTATION: 'true' }) },
  eslint: { package: '@eslint/mcp', ...listsWith({}) },
  browserbase: {
    package: '@browserbasehq/mcp-server-browserbase',
    ...listsWith({ BROWSERBASE_API_KEY: 'none', BROWSERBASE_PROJECT_ID: 'none', GEMINI_API_KEY: 'none' }),
  },
  python: { command: 'python3', args: [path.join(root, 'test/support/python-server.py')] },
};

const lists = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
const anything = { '~standard': { version: 1, vendor: 'record', validate: (value) => ({ value }) } };

const folder = mkdtempSync(path.join(tmpdir(), 'record-servers-'));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(servers);
try {
  installPackages(chosen);
  mkdirSync(recordings, { recursive: true });
  for (const name of chosen)
    await record(name).catch((error) => report(name, `is not recorded: ${error.message}`));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(name, text) {
  process.stdout.write(`${name}: ${text}\n`);
}

function installPackages(names) {
  const packages = names.flatMap((name) => servers[name].package ?? []);
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  if (packages.length === 0) return;
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--legacy-peer-deps',
    ...new Set(packages),
  ];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function record(name) {
  const { transport, version } = open(servers[name]);
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
  const client = new Client(
    { name: 'recorder', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities },
  );
  client.setRequestHandler('roots/list', async () => ({ roots: [] }));
  try {
    await client.connect(transport, { timeout: 60_000 });
    const server = servers[name].package ?? name;
    const recording = {
      server: version === undefined ? server : `${server}@${version}`,
      recorded: new Date().toISOString().slice(0, 10),
      initialize: {
        capabilities: client.getServerCapabilities(),
        serverInfo: client.getServerVersion(),
        ...(client.getInstructions() !== undefined && { instructions: client.getInstructions() }),
      },
      exchanges: await exchange(client, servers[name]),
    };
    const text = JSON.stringify(recording).replaceAll(folder, '/work').replace(container, '');
    if (text.length > largestRecording) throw new Error(`it has ${text.length} characters`);
    writeFileSync(path.join(recordings, `${name}.json`), `${text}\n`);
    report(name, `${recording.server}, ${recording.exchanges.length} exchanges, ${text.length} characters`);
  } finally {
    await client.close();
  }
}

/** Lists of all kinds, and requests that change nothing. */
async function exchange(client, { isListed = false }) {
  const exchanges = [];
  const found = {};
  const ask = async (method, params) => {
    const answer = await client
      .request({ method, params }, anything)
      .then((result) => ({ result }))
      .catch(({ code, message, data }) => ({
        error: { code, message, ...(data !== undefined && { data }) },
      }));
    if (JSON.stringify(answer).length <= largestAnswer || method in lists)
      exchanges.push({ method, params, ...answer });
    return answer;
  };
  for (const [method, key] of Object.entries(lists)) {
    found[key] = [];
    let cursor;
    do {
      const { result } = await ask(method, cursor === undefined ? {} : { cursor });
      found[key].push(...(result?.[key] ?? []));
      cursor = result?.nextCursor;
    } while (cursor !== undefined);
  }
  if (isListed) return exchanges;
  for (const { name, arguments: args = [] } of found.prompts.slice(0, 10)) {
    const given = args.filter(({ required }) => required).map((one) => [one.name, '1']);
    await ask('prompts/get', { name, arguments: Object.fromEntries(given) });
  }
  for (const { uri } of found.resources.slice(0, 5)) await ask('resources/read', { uri });
  const strict = found.tools.find(({ inputSchema }) => inputSchema.required?.length > 0);
  if (strict) await ask('tools/call', { name: strict.name, arguments: {} });
  return exchanges;
}

function open({ package: name, bin, command = process.execPath, args = [], env = {} }) {
  const words = args.map((word) => word.replaceAll('{folder}', folder));
  const { file, version } = name === undefined ? {} : programOf(name, bin);
  const transport = new StdioClientTransport({
    command,
    args: file === undefined ? words : [file, ...words],
    env: { PATH: process.env.PATH, HOME: folder, MEMORY_FILE_PATH: path.join(folder, 'memory'), ...env },
    cwd: folder,
    stderr: 'ignore',
  });
  return { transport, version };
}

function programOf(name, bin) {
  const home = path.join(folder, 'node_modules', name);
  const { bin: bins, version } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'));
  const file = typeof bins === 'string' ? bins : bins[bin ?? Object.keys(bins)[0]];
  return { file: path.join(home, file), version };
}
