import { getEventListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import { abortable } from '../../src/lib/abortable.ts';

describe('abortable', () => {
  it('gives what the promise gives and leaves no listener', async () => {
    const { signal } = new AbortController();

    expect(await abortable(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('takes care of a promise that fails after it is given up', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const failing = Promise.reject(new Error('late'));

    await expect(abortable(failing, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);

    expect(unhandled).toEqual([]);
  });

  it('rejects with the reason of the abort, before and while waiting', async () => {
    const controller = new AbortController();
    const forever = new Promise<never>(() => {});
    const waiting = abortable(forever, controller.signal);

    controller.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(forever, controller.signal)).rejects.toThrow('enough');
  });
});
