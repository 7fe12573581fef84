import { readFileSync, watch, writeFileSync } from 'node:fs';

const TIME_LIMIT_MS = 60_000;

/** A file that hooks append lines to. */
export interface LineFile extends Disposable {
  readonly path: string;
  /** The complete lines so far. */
  lines(): readonly string[];
  /** Waits until the complete lines are enough. It watches the file, so nothing polls meanwhile. */
  until(isEnough: (lines: readonly string[]) => boolean, timeoutMs?: number): Promise<readonly string[]>;
  /** Waits until there are this many complete lines. */
  reach(count: number, timeoutMs?: number): Promise<readonly string[]>;
}

/** Creates an empty file. */
export function openLineFile(path: string): LineFile {
  writeFileSync(path, '');
  let onGrown = (): void => {};
  const watcher = watch(path, () => onGrown());
  const lines = (): readonly string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  const grown = async (
    isEnough: (lines: readonly string[]) => boolean,
    timeoutMs = TIME_LIMIT_MS,
  ): Promise<readonly string[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    const timer = setTimeout(() => {
      reject(
        new Error(
          `${path} has ${lines().length} lines after ${timeoutMs} ms, which is not enough; the last: ${lines().at(-1)}`,
        ),
      );
    }, timeoutMs);
    onGrown = () => {
      const found = lines();
      if (isEnough(found)) resolve(found);
    };
    onGrown();
    return promise.finally(() => {
      clearTimeout(timer);
      onGrown = () => {};
    });
  };
  return {
    path,
    lines,
    until: grown,
    reach: async (count, timeoutMs) => grown(({ length }) => length >= count, timeoutMs),
    [Symbol.dispose]: () => watcher.close(),
  };
}
