import type { Position } from '../base/files/document-path.js';

/** Returns the line and column of offsets in one text. A byte order mark is not a column, as in editors. */
export function createPositions(text: string): (offset: number) => Position {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0];
  for (let next = text.indexOf('\n'); next !== -1; next = text.indexOf('\n', next + 1)) starts.push(next + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(offset - starts[low]!, 0) + 1 };
  };
}
