import { describe, expect, it } from 'vitest';
import { aborted } from '../../src/lib/aborted.ts';

describe('waiting for an abort', () => {
  it('ends with it', async () => {
    const controller = new AbortController();
    let isOver = false;
    const waiting = aborted(controller.signal).then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);

    controller.abort();
    await waiting;

    expect(isOver).toBe(true);
  });

  it('ends at once when it is there already', async () => {
    await expect(aborted(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
