/** The sections of the catalog: which items stand there, and by which part of their definition they are known. */
const sections = {
  tools: { kind: 'tools', key: 'name' },
  prompts: { kind: 'prompts', key: 'name' },
  resources: { kind: 'resources', key: 'uri' },
  resource_templates: { kind: 'resources', key: 'uriTemplate' },
};

/** What a query is looked for in. */
const searched = ['name', 'title', 'description', 'uri', 'uriTemplate'];

/** Lists what the server offers, section by section, as clients see it. */
export function catalog({ type = 'all', query = '', category, include_hidden = true }, ctx) {
  const names = type === 'all' ? Object.keys(sections) : [type];
  return Object.fromEntries(
    names.map((name) => {
      const { kind, key } = sections[name];
      const { items } = ctx.registry.list({ kind, includeHidden: include_hidden });
      const entries = items.filter(({ definition }) => key in definition).map(entryOf);
      return [name, entries.filter((entry) => holds(entry, query) && isOf(entry, category))];
    }),
  );
}

/** A definition with what its list does not show. */
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
