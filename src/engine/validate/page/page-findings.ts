/** The lists of an app's `csp` that allow origins. */
export type CspList = 'connectDomains' | 'resourceDomains' | 'frameDomains' | 'baseUriDomains';

/** A URL outside the page that the page requests. */
export interface ExternalRequest {
  /** As written, or the known start if the rest is built at run time. */
  readonly url: string;
  /** The lists of which one must name the origin; empty if hosts never allow the request. */
  readonly lists: readonly CspList[];
  /** The requesting code, as messages name it: `<img src>`, `fetch()`. */
  readonly by: string;
  /** Offset in the text of the page, style or script. */
  readonly offset: number;
}

/** Text that a page runs as code. */
export interface Evaluation {
  readonly by: string;
  readonly offset: number;
}

/** Parts of a page that the host's policy may block. */
export interface PageFindings {
  readonly reaches: readonly ExternalRequest[];
  readonly evaluations: readonly Evaluation[];
}
