import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { didYouMean } from '../../base/did-you-mean.js';
import { positionAt } from '../../base/files/json-text.js';
import { decodeUriText } from '../../base/text-codecs.js';
import type { Location } from '../../extension/diagnostics.js';
import type { Definition, Extension } from '../../extension/extension.js';
import {
  findSkillFolders,
  type SkillFolder,
  type SkillOwner,
  skillManifest,
} from '../../extension/skill-folders.js';
import type { Workspace } from '../../extension/workspace.js';
import { listedSkills } from '../../runtime/skills.js';
import type { SkippedItem } from '../../runtime/skipped-items.js';

/** A skill of the package, as hosts would get it. */
export interface SkillSnapshot {
  readonly name: string;
  /** Its files, `SKILL.md` first, relative to the package. Only `SKILL.md` if the skill cannot be served. */
  readonly files: readonly string[];
  /** The reasons why it cannot be served. */
  readonly problems: readonly SkillProblem[];
  readonly brokenLinks: readonly SkillProblem[];
}

interface SkillProblem {
  /** The text that follows the name of the skill in a message. */
  readonly problem: string;
  readonly location: Location;
}

/** Every skill of a package, and every folder that is probably meant as one. */
export async function gatherSkills({ manifest }: Extension): Promise<readonly SkillSnapshot[]> {
  const skills = await findSkillFolders(manifest);
  const read = await Promise.all(skills.map(skillFacts));
  return [...read, ...(await findMisspelledSkills(manifest, skills))];
}

/** The listed skills that a server cannot serve. */
export async function gatherLostSkills(
  server: Definition,
  workspace: Workspace,
): Promise<readonly SkippedItem[]> {
  const leftOut: SkippedItem[] = [];
  await listedSkills(server, { workspace, leftOut });
  return leftOut;
}

async function skillFacts(folder: SkillFolder): Promise<SkillSnapshot> {
  // Lazy: it loads schemas of the SDK, and most extensions have no skills.
  const { readSkill, SkillFault } = await import('../../skills/read-skill.js');
  const { name, directory, file } = folder;
  const text = await readFile(path.join(directory, skillManifest), 'utf8').catch(() => '');
  try {
    const { files } = await readSkill(folder);
    const others = [...files.keys()].filter((one) => one !== skillManifest);
    const brokenLinks = [...findBrokenLinks(text, [...files.keys()])].map(({ problem, index }) => ({
      problem,
      location: { file, position: positionAt(text, index) },
    }));
    const inPackage = others.map((one) => path.posix.join(path.posix.dirname(file), one));
    return { name, files: [file, ...inPackage], problems: [], brokenLinks };
  } catch (error) {
    const found = error instanceof SkillFault ? error.problems : [(error as Error).message];
    const problems = found.map((problem) => ({
      problem,
      location: { file, position: { line: parseProblemLine(problem, text), column: 1 } },
    }));
    return { name, files: [file], problems, brokenLinks: [] };
  }
}

/** The line of a frontmatter problem; the first line for other problems. */
function parseProblemLine(problem: string, text: string): number {
  const [, line] = problem.match(/\bline (\d+)/) ?? [];
  if (line !== undefined) return Number(line);
  const [, key] = problem.match(/^frontmatter (\w+)/) ?? [];
  const index = text.split('\n').findIndex((one) => key !== undefined && one.startsWith(`${key}:`));
  return Math.max(index, 0) + 1;
}

/** Folders with a misspelled `SKILL.md`, which only case-insensitive file systems find. */
async function findMisspelledSkills(
  { directory, skillsFolder }: SkillOwner,
  known: readonly SkillFolder[],
): Promise<readonly SkillSnapshot[]> {
  const base = path.join(directory, skillsFolder);
  const entries = await readdir(base, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((one) => one.isDirectory() && !known.some(({ name }) => name === one.name));
  const found = folders.map(async ({ name }): Promise<readonly SkillSnapshot[]> => {
    const names = await readdir(path.join(base, name)).catch(() => []);
    const meant = names.find((one) => one.toUpperCase() === skillManifest.toUpperCase());
    if (meant === undefined || meant === skillManifest) return [];
    const file = path.posix.join(skillsFolder, name, meant);
    const problem = `${meant} must be called ${skillManifest}`;
    return [{ name, files: [file], problems: [{ problem, location: { file } }], brokenLinks: [] }];
  });
  return (await Promise.all(found)).flat();
}

interface BrokenLink {
  readonly problem: string;
  /** Index of the link in the text. */
  readonly index: number;
}

/** Links to files that are not in the folder of the skill. Paths are relative to it, with `/`. */
export function* findBrokenLinks(text: string, files: readonly string[]): Generator<BrokenLink> {
  for (const { target, index } of linksIn(text)) {
    const [written = ''] = target.split(/[?#]/);
    if (written === '' || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(written)) continue;
    const file = path.posix.normalize(decodeUriText(written)).replace(/\/$/, '');
    if (file.startsWith('/') || file === '..' || file.startsWith('../')) {
      yield {
        problem: `links to "${target}", which is not in its folder. Clients get the files of its folder only.`,
        index,
      };
      continue;
    }
    const isThere = file === '.' || files.some((one) => one === file || one.startsWith(`${file}/`));
    if (isThere) continue;
    const meant = didYouMean(file, files);
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    yield { problem: `links to "${target}", which does not exist.${hint}`, index };
  }
}

/** The targets of links and images, also by reference. Code is skipped. */
function* linksIn(text: string): Generator<{ readonly target: string; readonly index: number }> {
  const prose = text
    .replace(
      /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm,
      blankOutCode,
    )
    .replace(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, blankOutCode);
  const forms = [
    /\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()]*)*))/g,
    /^ {0,3}\[[^\]\n]+\]:[ \t]*(?:<([^<>\n]*)>|(\S+))/gm,
  ];
  for (const form of forms) {
    for (const found of prose.matchAll(form)) {
      const target = found[1] ?? found[2]!;
      yield { target, index: found.index + found[0].lastIndexOf(target) };
    }
  }
}

function blankOutCode(code: string): string {
  return code.replace(/[^\n]/g, ' ');
}
