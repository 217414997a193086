import type { GivenPlace, UpstreamSpec } from '../runtime/upstream.js';

/** Runs functions that return endpoints, by the ids of {@link GivenPlace}. */
export interface PlaceFinder {
  /** Key of the upstream server in the process that runs the function. */
  placeKey(id: string): Promise<string>;
  /** The return value of a function. @throws ToolError with the reason for the model */
  place(given: GivenPlace): Promise<unknown>;
}

/** Keys of upstream servers, also if functions of another process find their endpoints. */
export class PlaceKeys {
  readonly #places: PlaceFinder | undefined;
  /** Keys of upstream servers that several definitions share through one function, by the keys of their specs. */
  readonly #shared = new Map<string, string>();

  constructor(places: PlaceFinder | undefined) {
    this.#places = places;
  }

  keyOf({ key }: UpstreamSpec): string {
    return this.#shared.get(key) ?? key;
  }

  /** Returns the spec with its endpoint function run by the other process. */
  found(spec: UpstreamSpec): UpstreamSpec {
    const places = this.#places;
    const { given } = spec;
    if (!places || !given) return spec;
    return { ...spec, place: async () => await given.read(await places.place(given)) };
  }

  /** Finds specs that share an upstream server through functions of the other process. */
  async identify(specs: readonly UpstreamSpec[]): Promise<void> {
    const places = this.#places;
    if (!places) return;
    const unknown = specs.filter(({ key, given }) => given?.isFunction && !this.#shared.has(key));
    await Promise.all(
      unknown.map(async ({ key, given }) => {
        // A failure is reported when the endpoint is used.
        const shared = await places.placeKey(given!.id).catch(() => undefined);
        if (shared !== undefined) this.#shared.set(key, shared);
      }),
    );
  }
}
