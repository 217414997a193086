import { describe, expect, test } from 'vitest';
import { valueTags } from '../../src/engine/derive/keywords.js';
import { mcpKeys } from '../../src/engine/derive/mcp-tag.js';
import { castNames } from '../../src/engine/schema/value-caster.js';
import { pages } from './support/pages.js';

/** The part of the page below a heading. */
function section(heading: string): string {
  const [, text = ''] = pages.derive!.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0]!;
}

describe('the page about derivation', () => {
  test.each(valueTags)('documents @%s', (tag) => expect(section('Tags')).toContain(`@${tag}`));

  test.each(mcpKeys)('documents %s in @mcp', (key) => {
    expect(section('Functions that are tools by themselves')).toContain(`\`${key}\``);
  });

  test.each(castNames)('documents %s', (name) => expect(section('Types')).toContain(`\`${name}`));
});
