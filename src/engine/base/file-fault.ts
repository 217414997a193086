import { AgentToolsError } from './errors.js';
import { FileAccessError, readingRefusal, writingRefusal } from './files/file-error.js';

/** What goes wrong with our files is for the user to mend. */
export async function rethrowAsUserError<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    throw new AgentToolsError('refused', error.message, { cause: error });
  }
}

/** Does nothing but read a file or folder. @throws AgentToolsError if the system does not let us. */
export async function guardRead<T>(file: string, action: () => Promise<T>): Promise<T> {
  return await rethrowAs(action, (error) => readingRefusal(error, file));
}

/** Does nothing but change a file or folder. @throws AgentToolsError if the system does not let us. */
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
