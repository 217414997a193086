/** Names of the tools that replace all other tools of a server in lists. */
const fronts = ['find_tools', 'inspect_tool', 'call_tool'];

/** Limit of descriptions in search results. `inspect_tool` returns the full text. */
const longestSummary = 200;

/** Limit of words in a query, so that one search cannot block the others. */
const mostWords = 50;

/** Tools that match some words, best match first. Without words, all tools in list order. */
export async function findTools({ query = '', category, offset = 0, limit = 20 }, ctx) {
  const tools = (await theOthers(ctx)).filter(({ hidden }) => !hidden);
  const wanted = tools.filter((tool) => isOf(tool, category));
  const words = wordsOf(query);
  const ranked = words.length === 0 ? wanted : bestFirst(wanted, words);
  const page = ranked.slice(offset, offset + limit);
  const end = offset + page.length;
  const categories = [...new Set(tools.map(categoryOf))].filter((one) => one !== undefined);
  return {
    tools: page.map(summaryOf),
    total: ranked.length,
    ...(end < ranked.length && { next_offset: end }),
    ...(ranked.length === 0 && {
      hint: `No tool matches. Without "query", all ${tools.length} tools are listed.`,
    }),
    ...(categories.length > 0 && { categories }),
  };
}

/** Definitions of tools by name, as lists would contain them. */
export async function inspectTool({ names }, ctx) {
  const tools = await theOthers(ctx);
  const found = names.flatMap((name) => tools.filter((tool) => tool.name === name).slice(0, 1));
  const unknown = names.filter((name) => !tools.some((tool) => tool.name === name));
  if (found.length === 0) return failure(notThere(unknown, tools, ctx));
  // Icons are for users.
  const definitions = found.map(({ definition: { icons: _, ...definition } }) => definition);
  return { tools: definitions, ...(unknown.length > 0 && { unknown }) };
}

/** The complete result of a tool call. */
export async function callTool({ name, arguments: args = {} }, ctx) {
  // A visible tool can still be pending.
  const tool = ctx.registry.resolve(name) ?? (await ctx.registry.shown({ name }))[0];
  if (!tool || tool.forApps || isFront(tool)) return failure(notThere([name], await theOthers(ctx), ctx));
  const result = await ctx.callTool(name, args, { onProgress: ctx.progress });
  return ctx.ui ? await withApp(result, name, ctx) : result;
}

/** Adds the app to the result, because some clients read it there. */
async function withApp(result, name, ctx) {
  const [tool] = await ctx.registry.shown({ name });
  const resourceUri = tool?.definition._meta?.ui?.resourceUri;
  if (typeof resourceUri !== 'string' || result._meta?.ui !== undefined) return result;
  return { ...result, _meta: { ...result._meta, ui: { resourceUri } } };
}

async function theOthers(ctx) {
  const tools = await ctx.registry.shown({ kind: 'tools' });
  return tools.filter((tool) => !tool.forApps && !isFront(tool));
}

function isFront({ item }) {
  return fronts.includes(item);
}

function categoryOf({ definition }) {
  const category = definition._meta?.category;
  return typeof category === 'string' ? category : undefined;
}

function isOf(tool, category) {
  return category === undefined || categoryOf(tool)?.toLowerCase() === category.toLowerCase();
}

function summaryOf(tool) {
  const { name, title, description = '' } = tool.definition;
  const category = categoryOf(tool);
  return {
    name,
    ...(title !== undefined && title !== name && { title }),
    ...(description !== '' && { description: shortened(description) }),
    ...(category !== undefined && { category }),
  };
}

function shortened(text) {
  const [paragraph] = text.trim().split(/\n\s*\n/);
  const characters = [...paragraph.replace(/\s+/g, ' ')];
  if (characters.length <= longestSummary) return characters.join('');
  return `${characters
    .slice(0, longestSummary - 1)
    .join('')
    .trimEnd()}…`;
}

/** The distinct words of a text in lower case. Plurals match their singular. */
function wordsOf(text) {
  const words = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return [...new Set((words ?? []).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)))];
}

/** Search weight of each definition key. */
const weights = [
  [8, ({ name }) => name],
  [5, ({ title }) => title],
  [4, ({ _meta }) => _meta?.category],
  [2, ({ description }) => description],
  [1, ({ inputSchema }) => Object.keys(inputSchema?.properties ?? {}).join(' ')],
];

function bestFirst(tools, words) {
  const scored = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words.slice(0, mostWords)) }))
    .filter(({ score }) => score > 0);
  return scored.sort((one, other) => other.score - one.score).map(({ tool }) => tool);
}

function scoreOf({ definition }, words) {
  const places = weights.map(([weight, read]) => [weight, wordsOf(String(read(definition) ?? ''))]);
  const scores = words.map((word) => {
    const hits = places.map(([weight, there]) => {
      if (there.includes(word)) return 2 * weight;
      return word.length > 2 && there.some((one) => one.startsWith(word)) ? weight : 0;
    });
    return Math.max(...hits);
  });
  return scores.reduce((sum, score) => sum + score, 0);
}

function notThere(names, tools, ctx) {
  const close = bestFirst(tools, wordsOf(names.join(' '))).slice(0, 3);
  const meant = close.length > 0 ? ` Did you mean ${close.map(({ name }) => `"${name}"`).join(' or ')}?` : '';
  const find = ctx.registry.list({ includeHidden: true }).items.find(({ item }) => item === fronts[0])?.name;
  const hint = find === undefined ? '' : ` Find tools with "${find}".`;
  return `There is no tool ${names.map((name) => `"${name}"`).join(', ')}.${meant}${hint}`;
}

function failure(text) {
  return { content: [{ type: 'text', text }], isError: true };
}
