import type { BenchStage } from './stage.ts';

const ATTEMPTS = 10;

/**
 * Deletes all objects of a collection; retries, because deleting thousands of objects may take longer than one request
 * may.
 */
export async function clear({ api }: BenchStage, path: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await api.call('DELETE', path).catch(() => undefined);
    if (answer?.status === 200) return;
  }
  throw new Error(`${path} could not be cleared`);
}
