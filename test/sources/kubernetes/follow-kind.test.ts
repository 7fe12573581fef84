import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { KindNotFoundError, KubeError } from '../../../src/errors.ts';
import type { ResourceKind } from '../../../src/kube/kind.ts';
import { RecheckSignal, followKind } from '../../../src/sources/kubernetes/follow-kind.ts';
import { CONFIG_MAP } from '../../support/kube-objects.ts';

const controllers: AbortController[] = [];

/** Follows a kind; discovery returns or throws `answers` in order, then the last one again and again. */
function following(
  first: ResourceKind | Error | { readonly isOptional: true },
  ...rest: readonly (ResourceKind | Error)[]
) {
  const isOptional = 'isOptional' in first;
  const answers = isOptional ? rest : [first, ...rest];
  const told: string[] = [];
  const recheck = new RecheckSignal();
  const controller = new AbortController();
  controllers.push(controller);
  let asked = 0;
  const resolve = async (): Promise<ResourceKind> => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer instanceof Error || answer === undefined) throw answer ?? new Error('no answer');
    return answer;
  };
  const ended = followKind(
    {
      kinds: { resolve, invalidate: () => {} },
      reference: { kind: 'cm' },
      recheck,
      isOptional,
      onFound: ({ kind }) => told.push(`found ${kind}`),
      onMissing: () => told.push('missing'),
      onFailed: () => told.push('failed'),
    },
    controller.signal,
  );
  return { controller, recheck, ended, told, asked: () => asked };
}

const MISSING = new KindNotFoundError('no kind cm');

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  for (const controller of controllers.splice(0)) controller.abort();
  vi.useRealTimers();
});

describe('followKind', () => {
  it('asks once while there is no doubt', async () => {
    const { asked, told } = following(CONFIG_MAP);

    await vi.advanceTimersByTimeAsync(3_600_000);

    expect(told).toEqual(['found ConfigMap']);
    expect(asked()).toBe(1);
  });

  it('asks again at each doubt', async () => {
    const { recheck, told } = following(CONFIG_MAP, MISSING, CONFIG_MAP);
    await vi.advanceTimersByTimeAsync(0);

    recheck.raise();
    await vi.advanceTimersByTimeAsync(1000);

    expect(told).toEqual(['found ConfigMap', 'missing', 'failed', 'found ConfigMap']);
  });

  it('says that a kind is missing only when the server says so', async () => {
    const { told } = following(new KubeError('down', { status: 0, reason: '' }), CONFIG_MAP);

    await vi.advanceTimersByTimeAsync(1000);

    expect(told).toEqual(['failed', 'found ConfigMap']);
  });

  it('looks for a missing kind at least every 2.5 seconds', async () => {
    const { asked } = following(MISSING);

    await vi.advanceTimersByTimeAsync(25_000);

    expect(asked()).toBeGreaterThanOrEqual(10);
    expect(asked()).toBeLessThan(20);
  });

  it('looks for an optional kind, which may never come, at least each minute, and not 5 times as often', async () => {
    const { asked } = following({ isOptional: true }, MISSING);
    await vi.advanceTimersByTimeAsync(600_000);
    const before = asked();

    await vi.advanceTimersByTimeAsync(3_600_000);

    expect(asked() - before).toBeGreaterThanOrEqual(60);
    expect(asked() - before).toBeLessThan(300);
  });

  it.each([
    ['fails', new KubeError('down', { status: 0, reason: '' })],
    ['is not sure', new KindNotFoundError('no kind cm', { isSure: false })],
  ])('looks for an optional kind at least every 2.5 seconds while discovery %s', async (_, error) => {
    const { told } = following({ isOptional: true }, ...Array.from({ length: 12 }, () => error), CONFIG_MAP);

    await vi.advanceTimersByTimeAsync(12 * 2500);

    expect(told.at(-1)).toBe('found ConfigMap');
  });

  it('ends with its signal, waiting or looking', async () => {
    const [waiting, looking] = [following(CONFIG_MAP), following(MISSING)];
    await vi.advanceTimersByTimeAsync(0);

    waiting.controller.abort();
    looking.controller.abort();

    await expect(Promise.all([waiting.ended, looking.ended])).resolves.toBeDefined();
  });
});

describe('RecheckSignal', () => {
  it('keeps a doubt that is raised while nobody waits', async () => {
    const recheck = new RecheckSignal();
    recheck.raise();

    await expect(recheck.wait(new AbortController().signal)).resolves.toBeUndefined();
  });
});
