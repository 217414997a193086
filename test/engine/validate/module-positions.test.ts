import { expect, test } from 'vitest';
import { positionsInModule } from '../../../src/engine/validate/module-positions.js';

const at = (source: string, ...path: (string | number)[]) => {
  const found = positionsInModule(source)(path);
  return found && `${found.line}:${found.column}`;
};

test.for<[string, string, (string | number)[], string | undefined]>([
  ['an object', 'export default {\n  tools: ["a", "b"] };', ['tools', 1], '2:16'],
  ['its key in quotes', 'export default {\n  "tools": 1 };', ['tools'], '2:3'],
  ['a list', 'export default [\n  {},\n  { name: "x" }];', [1, 'name'], '3:5'],
  ['a constant', 'const a = [{ use: "x" }];\nexport default { tools: a };', ['tools', 0, 'use'], '1:14'],
  ['what defines it', 'export default defineServer({\n tools: [] });', ['tools'], '2:2'],
  ['CommonJS', 'with ({}) {}\nmodule.exports = { tools: [] };', ['tools'], '2:20'],
  ['as deep as it is written out', 'export default {\n  tools: made() };', ['tools', 3, 'use'], '2:3'],
  ['before what is spread', 'export default { tools: ["a", ...more, "b"] };', ['tools', 0], '1:26'],
  ['the list, behind what is spread', 'export default { tools: ["a", ...more, "b"] };', ['tools', 2], '1:18'],
  ['nothing that a spread may replace', 'export default { tools: [], ...more };', ['tools'], undefined],
  ['the last of one name', 'export default { tools: 1,\n tools: 2 };', ['tools'], '2:2'],
  ['nothing that is computed', 'export default { ["tools"]: 1 };', ['tools'], undefined],
  ['nothing that is made elsewhere', 'export default made({ tools: [] });', ['tools'], undefined],
  ['nothing in what does not parse', 'export default {', ['tools'], undefined],
])('finds %s', ([, source, path, place]) => {
  expect(at(source, ...path)).toBe(place);
});
