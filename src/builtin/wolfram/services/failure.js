/** Why there is no answer, in words for the model. Holds no key and no address with one. */
export class Failure extends Error {
  name = 'Failure';

  /** @param {{ backend?: string, status?: number }} [facts] Who was asked, and what it answered with. */
  constructor(text, { backend, status } = {}) {
    super(text);
    this.backend = backend;
    this.status = status;
  }
}

/** Runs what may fail; a failure becomes a result that the model can read. */
export async function answering(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return failed(error.message, error.backend);
    throw error;
  }
}

export function failed(text, backend) {
  return { content: [{ type: 'text', text }], isError: true, ...meta(backend) };
}

/** Who answered, for the metadata of a result. */
export function meta(...backends) {
  const named = backends.filter((one) => one !== undefined);
  return named.length > 0 ? { _meta: { backend: named.join(', ') } } : {};
}
