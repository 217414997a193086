import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { CspList, Evaluation, ExternalRequest, PageFindings } from './page-findings.js';
import { readScript, type ScriptKind } from './script.js';
import { requestsOfStyle } from './style.js';

/** Results of reading a page without running it. */
export interface PageAnalysis extends PageFindings {
  /** True if the page begins with `<!doctype html>`. */
  readonly hasDoctype: boolean;
  /** The `href` of `<base>`, which relative URLs resolve against. */
  readonly base?: string;
  /**
   * Strings of the handshake that no script contains. Empty if external or invalid scripts may contain them.
   */
  readonly unsaid: readonly string[];
  /** Scripts with a syntax error, which no browser runs. */
  readonly faults: readonly { readonly reason: string; readonly offset: number }[];
}

/**
 * A host shows no app without these: the channel, the request, and the notification that the app is ready.
 */
const handshake = ['postMessage', 'ui/initialize', 'ui/notifications/initialized'];

/** Reads a page without running it. Offsets refer to the text. */
export function readPage(text: string): PageAnalysis {
  const reading = new PageCollector(text);
  const document = parse(text, { sourceCodeLocationInfo: true });
  for (const element of elementsIn(document)) reading.element(element);
  const { reaches, evaluations, faults, base, words, hasScriptsElsewhere } = reading;
  const said = [...words];
  const isUnknown = hasScriptsElsewhere || faults.length > 0;
  return {
    reaches: reaches.toSorted((a, b) => a.offset - b.offset),
    evaluations,
    faults,
    ...(base !== undefined && { base }),
    hasDoctype: document.childNodes.some(
      (node) => 'publicId' in node && node.name === 'html' && node.publicId === '',
    ),
    unsaid: isUnknown ? [] : handshake.filter((word) => !said.some((one) => one.includes(word))),
  };
}

type PageNode = DefaultTreeAdapterTypes.Node;
type PageElement = DefaultTreeAdapterTypes.Element;

function* elementsIn(root: PageNode): Generator<PageElement> {
  const waiting: PageNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ('tagName' in node) yield node;
    if ('content' in node) waiting.push(node.content);
    // One by one: the list may be longer than the limit of call arguments.
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

/** The attributes that load something, by element. */
const loadingAttributes: Readonly<Record<string, Readonly<Record<string, CspList>>>> = {
  script: { src: 'resourceDomains', href: 'resourceDomains' },
  img: { src: 'resourceDomains', srcset: 'resourceDomains' },
  source: { src: 'resourceDomains', srcset: 'resourceDomains' },
  audio: { src: 'resourceDomains' },
  video: { src: 'resourceDomains', poster: 'resourceDomains' },
  track: { src: 'resourceDomains' },
  input: { src: 'resourceDomains' },
  image: { href: 'resourceDomains' },
  use: { href: 'resourceDomains' },
  iframe: { src: 'frameDomains' },
  frame: { src: 'frameDomains' },
  base: { href: 'baseUriDomains' },
};

/** The attributes that no host lets load or open anything, by element. */
const forbiddenAttributes: Readonly<Record<string, readonly string[]>> = {
  object: ['data'],
  embed: ['src'],
  form: ['action'],
  button: ['formaction'],
  input: ['formaction'],
};

/** The `rel` values of `<link>` that load something. */
const loadingLink = /(?:^|\s)(?:stylesheet|\S*icon|preload|modulepreload|prefetch|manifest)(?:\s|$)/i;

/** The types of `<script>` that are code. */
const codeType = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i;

class PageCollector {
  readonly reaches: ExternalRequest[] = [];
  readonly evaluations: Evaluation[] = [];
  readonly faults: { reason: string; offset: number }[] = [];
  readonly words = new Set<string>();
  base: string | undefined;
  hasScriptsElsewhere = false;

  constructor(readonly text: string) {}

  element(element: PageElement): void {
    const { tagName } = element;
    for (const { name, prefix, value } of element.attrs) {
      const attribute = prefix === 'xlink' ? 'href' : name;
      const key = prefix ? `${prefix}:${name}` : name;
      const offset = element.sourceCodeLocation?.attrs?.[key]?.startOffset ?? 0;
      for (const reach of requestsOfAttribute(tagName, attribute, value, element))
        this.reaches.push({ ...reach, offset });
      if (name === 'style')
        for (const reach of requestsOfStyle(value)) this.reaches.push({ ...reach, offset });
      if (name.startsWith('on')) this.#script(value, 'handler', () => offset);
    }
    if (tagName === 'base') this.base ??= getAttributeValue(element, 'href');
    if (tagName === 'style') {
      const { source, start } = this.#textOf(element);
      for (const reach of requestsOfStyle(source))
        this.reaches.push({ ...reach, offset: start + reach.offset });
    }
    if (tagName === 'script') this.#scriptElement(element);
  }

  #scriptElement(element: PageElement): void {
    const type = getAttributeValue(element, 'type') ?? '';
    if (!codeType.test(type.trim())) return;
    if (getAttributeValue(element, 'src') !== undefined) {
      this.hasScriptsElsewhere = true;
      return;
    }
    const { source, start } = this.#textOf(element);
    this.#script(source, type.trim().toLowerCase() === 'module' ? 'module' : 'script', (at) => start + at);
  }

  #script(source: string, kind: ScriptKind, place: (offset: number) => number): void {
    const { reaches, evaluations, words, fault } = readScript(source, kind);
    for (const one of reaches) this.reaches.push({ ...one, offset: place(one.offset) });
    for (const one of evaluations) this.evaluations.push({ ...one, offset: place(one.offset) });
    for (const word of words) this.words.add(word);
    if (fault) this.faults.push({ ...fault, offset: place(fault.offset) });
  }

  /** The text within an element as in the file; the tree has normalized line ends. */
  #textOf({ childNodes }: PageElement): { readonly source: string; readonly start: number } {
    const location = childNodes[0]?.sourceCodeLocation;
    if (!location) return { source: '', start: 0 };
    return { source: this.text.slice(location.startOffset, location.endOffset), start: location.startOffset };
  }
}

function* requestsOfAttribute(
  tagName: string,
  name: string,
  value: string,
  element: PageElement,
): Iterable<Omit<ExternalRequest, 'offset'>> {
  const by = `<${tagName} ${name}>`;
  if (tagName === 'link' && name === 'href' && loadingLink.test(getAttributeValue(element, 'rel') ?? '')) {
    yield { url: value, lists: ['resourceDomains'], by };
  }
  if (forbiddenAttributes[tagName]?.includes(name)) yield { url: value, lists: [], by };
  const list = Object.hasOwn(loadingAttributes, tagName) ? loadingAttributes[tagName]![name] : undefined;
  if (!list) return;
  for (const url of name === 'srcset' ? parseSrcset(value) : [value]) yield { url, lists: [list], by };
}

/** The URLs of a `srcset`. A comma is part of a URL unless a blank follows. */
function parseSrcset(srcset: string): readonly string[] {
  return srcset.split(/,\s+|,$/).flatMap((candidate) => candidate.trim().split(/\s+/)[0] || []);
}

function getAttributeValue({ attrs }: PageElement, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}
