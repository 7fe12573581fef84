import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { BenchStage } from './stage.ts';

/** A watch of the bench itself, which reports when objects have changed. */
export interface BenchWatch extends Disposable {
  /** Waits for this many changes since the last call, and resolves to the time of the last one. */
  seen(count: number, timeoutMs?: number): Promise<number>;
}

const TIME_LIMIT_MS = 120_000;

/** Watches the collection `path` (with a query) from now on. */
export async function openWatch({ url, ca, token }: BenchStage, path: string): Promise<BenchWatch> {
  const watch = request(`${url}${path}&watch=1`, { ca, agent: false, headers: { authorization: `Bearer ${token}` } });
  watch.end();
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    watch.once('response', resolve).once('error', reject);
  });
  watch.on('error', () => {});
  const arrivedMs: number[] = [];
  let onArrived = (): void => {};
  const lines = createInterface(response);
  lines.on('error', () => {});
  lines.on('line', () => {
    arrivedMs.push(performance.timeOrigin + performance.now());
    onArrived();
  });
  return {
    async seen(count, timeoutMs = TIME_LIMIT_MS) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const timer = setTimeout(() => reject(new Error(`${arrivedMs.length} of ${count} changes came`)), timeoutMs);
      onArrived = () => {
        const last = arrivedMs[count - 1];
        if (last === undefined) return;
        arrivedMs.splice(0, count);
        resolve(last);
      };
      onArrived();
      return promise.finally(() => {
        clearTimeout(timer);
        onArrived = () => {};
      });
    },
    [Symbol.dispose]: () => void watch.destroy(),
  };
}
