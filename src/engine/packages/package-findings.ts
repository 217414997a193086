import path from 'node:path';
import { DefinitionError, type Extension } from '../extension/extension.js';
import { type Kind, kinds, singular } from '../extension/item-kinds.js';
import { AllowedFindings } from '../text-checks/allowed-findings.js';
import { type TextFinding, textFinding, uniqueFindings } from '../text-checks/text-findings.js';
import { gatherSkills } from '../validate/facts/skills.js';
import { type CheckedItem, gatherTexts } from '../validate/facts/texts.js';
import { type ItemReadOptions, readItems } from './items.js';
import type { PackagesDeps } from './packages-dependencies.js';

/** Checks the texts of an extension that models read. Runs no code unless `load` is set. */
export async function findPackageTexts(
  extension: Extension,
  { load = false }: ItemReadOptions = {},
): Promise<readonly TextFinding[]> {
  const states = await readItems(extension, kinds, { load });
  const items = await Promise.all(
    states
      .filter(({ isCode, value }) => !isCode || value !== undefined)
      .map(({ kind, name, file }) => checkedItem(extension, { kind, name, file })),
  );
  const texts = await gatherTexts({ extension, items, skills: await gatherSkills(extension) });
  return uniqueFindings(texts.map(textFinding));
}

interface FoundItem {
  readonly kind: Kind;
  readonly name: string;
  readonly file: string | undefined;
}

async function checkedItem(extension: Extension, { kind, name, file }: FoundItem): Promise<CheckedItem> {
  const ref = { kind: singular[kind], name };
  const page = kind === 'apps' && file !== undefined ? { file } : undefined;
  try {
    return { ref, definition: await extension.definition(kind, name), ...(page && { page }) };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { ref, ...(page && { page }) };
  }
}

/** The texts that the user has allowed. */
export function allowedFindings({ packagesFolder }: Pick<PackagesDeps, 'packagesFolder'>): AllowedFindings {
  return new AllowedFindings(path.resolve(packagesFolder, '../..'));
}
