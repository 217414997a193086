/** The value below which a part of the numbers lies; between two of them it is interpolated. */
function quantile(numbers, part) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  return below + (above - below) * (position % 1);
}

/** Median and quartiles, and the median of the ratios to the baseline's number of the same round. */
export function summarize(numbers, baseline) {
  return {
    median: quantile(numbers, 0.5),
    quartiles: [quantile(numbers, 0.25), quantile(numbers, 0.75)],
    ...(baseline && {
      ratio: quantile(
        numbers.map((number, round) => number / baseline[round]),
        0.5,
      ),
    }),
  };
}

/** The list, begun at another place. */
export function rotated(list, by) {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
