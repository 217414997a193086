import type { TextSeverity } from './hidden-characters.js';

/** A check for phrases that honest texts for a model rarely have. */
export interface PhraseCheck {
  readonly code: string;
  readonly severity: TextSeverity;
  /** Matches a phrase. Global. */
  readonly pattern: RegExp;
  /** The fault, as the end of the sentence "The description has …". */
  readonly fault: string;
  /** True if a match is honest. */
  readonly isHonest?: (phrase: string, text: string) => boolean;
}

/** Checks of phrases. They are weaker than the checks of characters: honest texts can have such phrases. */
export const phraseChecks: readonly PhraseCheck[] = [
  {
    code: 'text/override-instructions',
    severity: 'warning',
    pattern:
      /\b(?:ignore|disregard|forget|override)\s{1,99}(?:\S{1,99}\s{1,99}){0,3}?(?:previous|prior|above|earlier|preceding|system)\s{1,99}(?:\S{1,99}\s{1,99})?(?:instructions?|prompts?|rules?|messages?|directives?)\b/gi,
    fault: 'an order to ignore other instructions',
  },
  {
    code: 'text/concealment',
    severity: 'warning',
    pattern:
      /\b(?:do not|don['’]t|never)\s{1,99}(?:tell|inform|notify|alert|mention\s{1,99}this\s{1,99}to|reveal\s{1,99}this\s{1,99}to|show\s{1,99}this\s{1,99}to)\s{1,99}(?:(?:the|your)\s{1,99})?(?:user|human|operator)\b|\bwithout\s{1,99}(?:telling|informing|notifying)\s{1,99}(?:the|your)\s{1,99}(?:user|human|operator)\b/gi,
    fault: 'an order to hide something from the user',
  },
  {
    code: 'text/fake-markup',
    severity: 'info',
    pattern: /<\/(?:IMPORTANT|SYSTEM|SECRET|HIDDEN|ADMIN)>/g,
    fault: 'markup that looks like a message of the client',
  },
  {
    code: 'text/secret-paths',
    severity: 'info',
    pattern:
      /(?:~|\$HOME|\$\{HOME\}|\/home\/[\w.-]{1,99}|\/Users\/[\w.-]{1,99}|%USERPROFILE%)[\\/]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|cursor|claude|codex)\b|\bid_(?:rsa|ed25519)\b|\/etc\/(?:shadow|passwd)\b/g,
    fault: 'the path of a file with secrets',
  },
  {
    code: 'text/html-comment',
    severity: 'info',
    pattern: /<!--/g,
    fault: 'an HTML comment, which readers of rendered text do not see',
  },
  {
    code: 'text/image-link',
    severity: 'warning',
    pattern: /!\[[^[\]\n]{0,300}\]\(\s{0,9}https?:\/\/[^()\s{]{0,2000}(?:\{|=\s{0,9}\))/gi,
    fault: 'an image whose address can carry data away',
  },
  {
    code: 'text/encoded-text',
    severity: 'info',
    pattern: /[A-Za-z0-9+/]{200}|[0-9a-fA-F]{200}|(?:(?:\\x|%)[2-7][0-9a-fA-F]){16}|[A-Za-z0-9+/_-]{40}/g,
    fault: 'a long encoded text, which no reader can check',
    isHonest: (phrase, text) => isDataUri(text) || !isEncodedText(phrase),
  },
];

/** True if the whole text is a `data:` URI, such as an icon. */
function isDataUri(text: string): boolean {
  return /^data:[\w.+-]{1,99}\/[\w.+-]{1,99}[;,]\S*$/i.test(text);
}

/** Rows of one letter and short hashes are honest. */
function isEncodedText(phrase: string): boolean {
  if (/^[\\%]/.test(phrase)) return true;
  const kinds = [/[A-Z]/, /[a-z]/, /[0-9]/].filter((letters) => letters.test(phrase)).length;
  if (phrase.length >= 200) return kinds === 3 || (/^[0-9a-f]+$/i.test(phrase) && new Set(phrase).size > 5);
  // A shorter one is a text if it reads as words.
  return kinds >= 2 && readsAsWords(Buffer.from(phrase, 'base64').toString('latin1'));
}

/** True for words of plain letters with spaces between them. */
function readsAsWords(text: string): boolean {
  return (
    /^[\x20-\x7e\n]+$/.test(text) &&
    / /.test(text) &&
    text.replace(/[^A-Za-z ]/g, '').length > text.length * 0.8
  );
}
