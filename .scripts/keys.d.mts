import type { DefinitionShape } from '../src/engine/extension/key-shape.js';

interface KeySource {
  readonly keyTables: Readonly<Record<string, DefinitionShape>>;
  withoutLinks(description: string): string;
}

export declare function updateKeys(file: string, text: string, source: KeySource): string;
export declare function shapesIn(
  file: string,
  text: string,
  source: Pick<KeySource, 'keyTables'>,
): DefinitionShape[];
export declare function filesWithKeys(): string[];
