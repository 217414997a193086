import { AgentToolsError } from './errors.js';
import { FileAccessError, readingRefusal, writingRefusal } from './files/file-error.js';

/** Rethrows a `FileAccessError` as an error for the user. @throws AgentToolsError `refused` */
export async function rethrowAsUserError<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    throw new AgentToolsError('refused', error.message, { cause: error });
  }
}

/** Runs an action that only reads a file or folder. @throws AgentToolsError if the system refuses it. */
export async function guardRead<T>(file: string, action: () => Promise<T>): Promise<T> {
  return await rethrowAs(action, (error) => readingRefusal(error, file));
}

/** Runs an action that only changes a file or folder. @throws AgentToolsError if the system refuses it. */
export async function guardWrite<T>(file: string, action: () => Promise<T>): Promise<T> {
  return await rethrowAs(action, (error) => writingRefusal(error, file));
}

async function rethrowAs<T>(action: () => Promise<T>, refusalOf: (error: unknown) => unknown): Promise<T> {
  return await rethrowAsUserError(async () => {
    try {
      return await action();
    } catch (error) {
      throw refusalOf(error);
    }
  });
}
