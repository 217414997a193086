/** Texts that are a key of an entry for no client without a rule of its own. */
export const hostileKeys = [
  '',
  ' ',
  'a b',
  'we"ird',
  'né',
  '../x',
  'a/../b',
  '.hidden',
  '-x',
  'a\nb',
  'a]',
  "it's",
  'x'.repeat(65),
];
