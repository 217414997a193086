import { Failure } from '../services/failure.js';

const kinds = {
  number: ({ from, to }) => ({
    fits: (value) => Number.isFinite(value) && value >= from && value <= to,
    words: `a number from ${from} to ${to}`,
  }),
  flag: () => ({ fits: (value) => typeof value === 'boolean', words: 'true or false' }),
  choice: ({ values }) => ({
    fits: (value) => values.includes(value),
    words: values.map((one) => `"${one}"`).join(' or '),
  }),
  text: () => ({
    fits: (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 200,
    words: 'a text of at most 200 characters',
  }),
};

/** Options of the tools with their defaults. An unset option without a default is not sent. */
export const optionRows = {
  TimeConstraint: { kind: 'number', from: 1, to: 110, default: 30 },
  MaxCharacters: { kind: 'number', from: 100, to: 200_000 },
  MaxItems: { kind: 'number', from: 1, to: 1000 },
  Images: { kind: 'flag', default: true },
  Pods: { kind: 'flag', default: true },
  DeployNotebooks: { kind: 'flag', default: true },
  Units: { kind: 'choice', values: ['metric', 'nonmetric'] },
  Location: { kind: 'text' },
  TimeZone: { kind: 'text' },
  Currency: { kind: 'text' },
  Country: { kind: 'text' },
  Language: { kind: 'text' },
};

/** Reads options and applies defaults. @throws Failure that names the first invalid option */
export function readOptions(tool, set = {}) {
  return Object.fromEntries(
    Object.entries(optionRows).map(([name, row]) => {
      const value = set[name] ?? row.default;
      if (value === undefined) return [name, undefined];
      const { fits, words } = kinds[row.kind](row);
      if (fits(value)) return [name, value];
      const told = JSON.stringify(value)?.slice(0, 100);
      throw new Failure(`The option ${name} of ${tool} is ${told}. Expected ${words}; see MCP_TOOL_OPTIONS.`);
    }),
  );
}
