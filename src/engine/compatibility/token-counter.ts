import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { estimate, type TokenCounter } from './token-cost.js';

interface Tokenizer {
  readonly countTokens?: (text: string) => number;
}

/** The tokenizer of a folder if it has `gpt-tokenizer` installed, else the estimate. */
export async function findTokenCounter(folder: string): Promise<TokenCounter> {
  try {
    const file = createRequire(path.join(folder, 'package.json')).resolve(
      'gpt-tokenizer/encoding/o200k_base',
    );
    const { countTokens } = (await import(pathToFileURL(file).href)) as Tokenizer;
    if (countTokens) return { name: 'o200k', errorPercent: 0, count: (text) => countTokens(text) };
  } catch {
    // Not installed.
  }
  return estimate;
}
