import { AgentToolsError } from './errors.js';
import { FileAccessError, readingRefusal, writingRefusal } from './files/file-error.js';

/** What goes wrong with our files is for the user to mend. */
export async function asUserError<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    throw new AgentToolsError('refused', error.message, { cause: error });
  }
}

/** Does nothing but read a file or folder. @throws AgentToolsError if the system does not let us. */
export async function reading<T>(file: string, action: () => Promise<T>): Promise<T> {
  return await refusing(action, (error) => readingRefusal(error, file));
}

/** Does nothing but change a file or folder. @throws AgentToolsError if the system does not let us. */
export async function writing<T>(file: string, action: () => Promise<T>): Promise<T> {
  return await refusing(action, (error) => writingRefusal(error, file));
}

async function refusing<T>(action: () => Promise<T>, refusalOf: (error: unknown) => unknown): Promise<T> {
  return await asUserError(async () => {
    try {
      return await action();
    } catch (error) {
      throw refusalOf(error);
    }
  });
}
