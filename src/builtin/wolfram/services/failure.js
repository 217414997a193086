/** A failed service request, with a message for the model. Contains no key and no URL with a key. */
export class Failure extends Error {
  name = 'Failure';

  /** @param {{ backend?: string, status?: number }} [facts] The service and the HTTP status. */
  constructor(text, { backend, status } = {}) {
    super(text);
    this.backend = backend;
    this.status = status;
  }
}

/** Runs work and converts a Failure into a tool result. */
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

/** Result metadata with the names of the services. */
export function meta(...backends) {
  const named = backends.filter((one) => one !== undefined);
  return named.length > 0 ? { _meta: { backend: named.join(', ') } } : {};
}
