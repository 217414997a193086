/**
 * Gives every name of a list its own: names that stand alone stay, the others get numbers in list order, passing over
 * numbers whose name is taken. `[Search, Search, Search1]` becomes `[Search2, Search3, Search1]`.
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set(names);
  return names.map((name) => {
    if (counts.get(name) === 1) return name;
    let number = 1;
    while (taken.has(name + number)) number++;
    taken.add(name + number);
    return name + number;
  });
}
