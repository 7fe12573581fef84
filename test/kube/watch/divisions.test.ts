import { describe, expect, it } from 'vitest';

import { Divisions } from '../../../src/kube/watch/divisions.ts';

const never = new AbortController().signal;
const unasked = (): never => {
  throw new Error('asked');
};

describe('Divisions', () => {
  it('asks once of those who ask at the same time, and never again', async () => {
    const divisions = new Divisions();
    const answer = Promise.withResolvers<boolean>();
    const answers = [
      divisions.isDivided('/pods', () => answer.promise, never),
      divisions.isDivided('/pods', unasked, never),
    ];
    answer.resolve(true);

    expect(await Promise.all(answers)).toEqual([true, true]);
    expect(await divisions.isDivided('/pods', unasked, never)).toBe(true);
    expect(divisions.isDenied('/pods')).toBe(false);
  });

  it('asks for each kind by itself, and knows which is denied', async () => {
    const divisions = new Divisions();

    expect(await divisions.isDivided('/pods', async () => false, never)).toBe(false);
    expect(await divisions.isDivided('/nodes', async () => true, never)).toBe(true);
    expect([divisions.isDenied('/pods'), divisions.isDenied('/nodes')]).toEqual([true, false]);
  });

  it('gives an error to all who wait, and asks anew afterwards', async () => {
    const divisions = new Divisions();
    const answer = Promise.withResolvers<boolean>();
    const answers = [
      divisions.isDivided('/pods', () => answer.promise, never),
      divisions.isDivided('/pods', unasked, never),
    ];
    answer.reject(new Error('refused'));

    expect(await Promise.allSettled(answers)).toMatchObject([
      { reason: { message: 'refused' } },
      { reason: { message: 'refused' } },
    ]);
    expect(await divisions.isDivided('/pods', async () => true, never)).toBe(true);
  });

  it('has the next one ask when the one that asks is aborted, and lets go of one that waits and is aborted', async () => {
    const divisions = new Divisions();
    const [first, second] = [new AbortController(), new AbortController()];
    const failed = Promise.withResolvers<boolean>();
    const asking = divisions.isDivided('/pods', () => failed.promise, first.signal);
    const aborted = divisions.isDivided('/pods', unasked, second.signal);
    const waiting = divisions.isDivided('/pods', async () => true, never);
    second.abort();
    first.abort();
    failed.reject(new Error('aborted'));

    expect((await Promise.allSettled([asking, aborted])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await waiting).toBe(true);
  });

  it('keeps a denial that comes before the answer', async () => {
    const divisions = new Divisions();
    const answer = Promise.withResolvers<boolean>();
    const asked = divisions.isDivided('/pods', () => answer.promise, never);
    divisions.deny('/pods');
    answer.resolve(true);

    expect(await asked).toBe(false);
  });
});
