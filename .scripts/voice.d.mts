export interface VoiceMatch {
  readonly name: string;
  readonly kind: 'comments' | 'docs' | 'strings' | 'titles';
  /** `file:line:column` */
  readonly place: string;
  readonly words: string;
  readonly write: string;
}

/** Matches of the patterns in the text of a file. */
export function findMatches(file: string, source: string): readonly VoiceMatch[];
