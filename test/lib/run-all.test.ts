import { describe, expect, it } from 'vitest';
import { aborted } from '../../src/lib/aborted.ts';
import { runAll } from '../../src/lib/run-all.ts';

describe('parts that run side by side', () => {
  it('end together, when all have ended after the abort', async () => {
    const controller = new AbortController();
    const ended: string[] = [];
    const part = (name: string) => async (signal: AbortSignal) => {
      await aborted(signal);
      ended.push(name);
    };
    const running = runAll([part('a'), part('b')], controller.signal);

    controller.abort();
    await running;

    expect(ended).toEqual(['a', 'b']);
  });

  it('are ended when one fails, and its error is thrown after that', async () => {
    const ended: string[] = [];
    const failing = async (): Promise<void> => {
      throw new Error('a bug');
    };
    const lasting = async (signal: AbortSignal): Promise<void> => {
      await aborted(signal);
      ended.push('lasting');
    };

    await expect(runAll([failing, lasting], new AbortController().signal)).rejects.toThrow('a bug');

    expect(ended).toEqual(['lasting']);
  });
});
