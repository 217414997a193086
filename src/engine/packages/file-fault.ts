import { AgentToolsError } from '../errors.js';
import { FileRefusal, writingRefusal } from '../files/refusal.js';

/** What goes wrong with our files is for the user to mend. */
export async function asUserError<T>(
  file: string,
  action: () => Promise<T>,
  refusalOf = writingRefusal,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const refusal = refusalOf(error, file);
    if (!(refusal instanceof FileRefusal)) throw error;
    throw new AgentToolsError('refused', refusal.message, { cause: error });
  }
}
