/** Sections of the catalog, with the definition key that identifies an item. */
const sections = {
  tools: { kind: 'tools', key: 'name' },
  prompts: { kind: 'prompts', key: 'name' },
  resources: { kind: 'resources', key: 'uri' },
  resource_templates: { kind: 'resources', key: 'uriTemplate' },
};

/** Definition keys that a query searches. */
const searched = ['name', 'title', 'description', 'uri', 'uriTemplate'];

/** Lists the server's items by section, as the requesting client sees them. */
export async function catalog(
  { type = 'all', query = '', category, include_hidden = true, limit = 100, page, offset },
  ctx,
) {
  const start = offset ?? ((page ?? 1) - 1) * limit;
  const names = type === 'all' ? Object.keys(sections) : [type];
  const entries = await Promise.all(names.map((name) => entriesOf(sections[name], ctx)));
  const wanted = names.flatMap((name, index) =>
    entries[index]
      .filter(({ hidden }) => include_hidden || !hidden)
      .filter((entry) => holds(entry, query) && isOf(entry, category))
      .map((entry) => ({ name, entry })),
  );
  const shown = wanted.slice(start, start + limit);
  const listed = names.map((name) => [
    name,
    shown.filter((one) => one.name === name).map(({ entry }) => entry),
  ]);
  const end = start + shown.length;
  return {
    ...Object.fromEntries(listed),
    ...(end < wanted.length && { more: moreOf({ total: wanted.length, start, end, limit }) }),
  };
}

/** The rest of a list, with the number of the next page if pages begin there. */
function moreOf({ total, start, end, limit }) {
  const pages = { next_page: start / limit + 2, pages: Math.ceil(total / limit) };
  return { total, next_offset: end, ...(start % limit === 0 && pages) };
}

async function entriesOf({ kind, key }, ctx) {
  const items = await ctx.registry.shown({ kind });
  return items.filter(({ definition }) => key in definition).map(entryOf);
}

/** A definition with the facts that lists omit. */
function entryOf({ definition, hidden }) {
  const category = definition._meta?.category;
  return { ...definition, ...(typeof category === 'string' && { category }), hidden };
}

function holds(entry, query) {
  const text = query.toLowerCase();
  return searched.some((key) =>
    String(entry[key] ?? '')
      .toLowerCase()
      .includes(text),
  );
}

function isOf(entry, category) {
  return category === undefined || entry.category?.toLowerCase() === category.toLowerCase();
}
