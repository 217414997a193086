import {
  type ClientLimit,
  clientLimits,
  type LimitSubject,
  limitSubjects,
} from '../../../engine/compatibility/client-limits.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** A client or API with its limits. */
interface SubjectLimits extends LimitSubject {
  readonly limits: readonly Omit<ClientLimit, 'subject'>[];
}

/** The limits of each client and API. `ids`: only these clients, and the APIs that they use. */
export function limitsOf(ids: ReadonlySet<string> | undefined): readonly SubjectLimits[] {
  const used = new Set(limitSubjects.filter(({ id }) => ids?.has(id)).flatMap(({ uses = [] }) => uses));
  return limitSubjects
    .filter(({ id }) => !ids || ids.has(id) || used.has(id))
    .map((subject) => ({
      ...subject,
      limits: clientLimits
        .filter((limit) => limit.subject === subject.id)
        .map(({ subject: _, ...limit }) => limit),
    }));
}

/** One paragraph for each client and API, with one line for each limit. */
export function renderLimits(groups: readonly SubjectLimits[], options: ColorOption): string {
  if (groups.length === 0) return 'No client with known limits was found on this machine.\n';
  const style = styleFor(options);
  return groups
    .map(({ id, name, version, limits }) => {
      const measured = version === undefined ? '' : style.dim(`, measured with ${version}`);
      const lines = limits.map(({ code, does, limit, unit, evidence }) => {
        const bound = limit === undefined ? '' : ` over ${limit.toLocaleString('en-US')} ${unit}`;
        return `  ${code}${bound}: ${does} ${style.dim(`(${evidence})`)}\n`;
      });
      return `${style.bold(id)}  ${name}${measured}\n${lines.join('')}`;
    })
    .join('\n');
}
