import { transform } from 'esbuild';

/** Shortens the names of local variables. Exported names and properties stay. A script has no format. */
export async function shortenNames(text, format) {
  const { code } = await transform(text, {
    format,
    target: 'node20.19',
    minifyWhitespace: true,
    minifyIdentifiers: true,
    legalComments: 'none',
  });
  return code;
}
