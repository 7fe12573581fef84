import { access } from 'node:fs/promises';

/** Whether there is something at a path, as far as this process may see; never rejects. */
export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
