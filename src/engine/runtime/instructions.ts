/** Instructions of one server, and its name for people. */
export interface TitledInstructions {
  readonly title: string;
  readonly text: string;
}

/**
 * Joins several texts of `instructions` by a blank line; undefined without any text. Texts of `others` follow. With more
 * than one source, each source has its title as a heading.
 */
export function joinInstructions(
  texts: readonly unknown[],
  { title, others }: { readonly title: string; readonly others: readonly TitledInstructions[] } = {
    title: '',
    others: [],
  },
): string | undefined {
  const own = texts.filter((part) => typeof part === 'string').join('\n\n');
  const sources = [...(own === '' ? [] : [{ title, text: own }]), ...distinct(others)];
  const [first, second] = sources;
  if (!second) return first?.text || undefined;
  return sources.map((source) => `## ${source.title}\n\n${source.text}`).join('\n\n');
}

/** Drops repetitions: several entries may have the same upstream server. */
function distinct(others: readonly TitledInstructions[]): readonly TitledInstructions[] {
  return others.filter(
    ({ title, text }, index) =>
      others.findIndex((other) => other.title === title && other.text === text) === index,
  );
}
