/** The lists of an app's `csp` that open it to the outside. */
export type CspList = 'connectDomains' | 'resourceDomains' | 'frameDomains' | 'baseUriDomains';

/** Something outside itself that a page asks for. */
export interface ExternalRequest {
  /** As it is written, or as far as it is known when the rest is put together at run time. */
  readonly url: string;
  /** The lists of which one must name its origin; none when hosts never allow it. */
  readonly lists: readonly CspList[];
  /** What asks, as messages call it: `<img src>`, `fetch()`. */
  readonly by: string;
  /** Where, in the text it was found in. */
  readonly offset: number;
}

/** Text that a page runs as code. */
export interface Evaluation {
  readonly by: string;
  readonly offset: number;
}

/** What a page does that the host's policy has a say in. */
export interface PageFindings {
  readonly reaches: readonly ExternalRequest[];
  readonly evaluations: readonly Evaluation[];
}
