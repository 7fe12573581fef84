import { describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { malformed } from '../../../src/kube/object.ts';
import { createRecovery, type Position } from '../../../src/kube/watch/watch-recovery.ts';
import { statusError } from '../../support/scripted-kube-client.ts';

const WATCHING: Position = { type: 'watch', resourceVersion: '7' };
const LISTING: Position = { type: 'list', resourceVersion: '7' };
const NEWEST: Position = { type: 'list', resourceVersion: '' };

/** A recovery with its own clock, and without jitter unless requested. */
function recoveryAt({ random = () => 0 }: { readonly random?: () => number } = {}) {
  const clock = { ms: 0 };
  return { clock, recovery: createRecovery({ now: () => clock.ms, random }) };
}

const failed = (error: unknown) => ({ error, frames: 0, livedMs: 5000 });

describe('createRecovery', () => {
  it.each<{ law: string; error: unknown; from: Position; reason: string; to: Position }>([
    {
      law: 'a broken connection goes on where it was',
      error: statusError(0),
      from: WATCHING,
      reason: 'connection',
      to: WATCHING,
    },
    {
      law: 'a silent one too (point 10)',
      error: statusError(0, { reason: 'Idle' }),
      from: WATCHING,
      reason: 'idle',
      to: WATCHING,
    },
    {
      law: '429 retries the watch in place (point 8)',
      error: statusError(429),
      from: WATCHING,
      reason: 'throttled',
      to: WATCHING,
    },
    {
      law: '500 retries in place (point 9)',
      error: statusError(500),
      from: WATCHING,
      reason: 'server-error',
      to: WATCHING,
    },
    { law: '403 retries in place', error: statusError(403), from: WATCHING, reason: 'denied', to: WATCHING },
    {
      law: 'so does a lack of credentials (point 13)',
      error: new CredentialsError('no'),
      from: WATCHING,
      reason: 'denied',
      to: WATCHING,
    },
    {
      law: 'an expired watch lists from what was seen (points 1, 9)',
      error: statusError(410),
      from: WATCHING,
      reason: 'expired',
      to: LISTING,
    },
    {
      law: 'an expired list lists what is now (points 1, 9)',
      error: statusError(410),
      from: LISTING,
      reason: 'expired',
      to: NEWEST,
    },
    {
      law: 'a version the server does not have yet lists what is now (point 1)',
      error: statusError(504, { reason: 'Timeout', message: 'Too large resource version: 7, current: 5' }),
      from: LISTING,
      reason: 'too-new',
      to: NEWEST,
    },
    {
      law: 'a kind that is gone is listed when it returns (point 22)',
      error: statusError(404),
      from: WATCHING,
      reason: 'not-found',
      to: NEWEST,
    },
    {
      law: 'any other refusal lists again (point 9)',
      error: statusError(422),
      from: WATCHING,
      reason: 'refused',
      to: LISTING,
    },
    {
      law: 'a broken line lists again (point 9)',
      error: malformed('x'),
      from: WATCHING,
      reason: 'malformed',
      to: LISTING,
    },
    {
      law: 'even a bug is not terminal (point 9)',
      error: new TypeError('x'),
      from: WATCHING,
      reason: 'unexpected',
      to: LISTING,
    },
  ])('$law', ({ error, from, reason, to }) => {
    expect(recoveryAt().recovery.after(from, failed(error))).toMatchObject({ reason, position: to, error });
  });

  it('goes on at once after a clean end (point 6)', () => {
    const end = { error: undefined, frames: 0, livedMs: 400_000 };

    expect(recoveryAt().recovery.after(WATCHING, end)).toMatchObject({ reason: 'end', position: WATCHING, delayMs: 0 });
  });

  it('backs off from a watch that ends within a second without events (point 7)', () => {
    const { recovery } = recoveryAt();
    const end = { error: undefined, frames: 0, livedMs: 999 };

    const restarts = [recovery.after(WATCHING, end), recovery.after(WATCHING, end)];

    expect(restarts).toMatchObject([
      { reason: 'short', delayMs: 800 },
      { reason: 'short', delayMs: 1500 },
    ]);
  });

  it('does not run in circles with a server that ends each watch after one frame', () => {
    const end = { error: undefined, frames: 1, livedMs: 3 };

    expect(recoveryAt().recovery.after(WATCHING, end)).toMatchObject({ reason: 'end', delayMs: 100 });
  });

  it('never waits longer than 1.95 s for a server that answers errors, so that one that is well is noticed', () => {
    const { recovery } = recoveryAt();
    const stretched = recoveryAt({ random: () => 1 }).recovery;

    const delays = Array.from({ length: 4 }, () => recovery.after(WATCHING, failed(statusError(403))).delayMs);
    const longest = Array.from({ length: 4 }, () => stretched.after(WATCHING, failed(statusError(403))).delayMs);

    expect(delays).toEqual([800, 1500, 1500, 1500]);
    expect(longest).toEqual([1040, 1950, 1950, 1950]);
  });

  it('starts small again after two minutes of health (point 8)', () => {
    const { clock, recovery } = recoveryAt();
    const fault = () => recovery.after(WATCHING, failed(statusError(500))).delayMs;
    const delays = [fault(), fault()];

    clock.ms = 119_000;
    delays.push(fault());
    clock.ms = 240_000;
    delays.push(fault());

    expect(delays).toEqual([800, 1500, 1500, 800]);
  });

  it('never waits longer than 2 s for a connection, so that a network that is back is noticed', () => {
    const { recovery } = recoveryAt({ random: () => 1 });

    const delays = Array.from({ length: 20 }, () => recovery.after(WATCHING, failed(statusError(0))).delayMs);

    expect(Math.max(...delays)).toBe(2000);
  });

  it('tries a connection soon again after it worked', () => {
    const { recovery } = recoveryAt();
    const fault = () => recovery.after(WATCHING, failed(statusError(0))).delayMs;
    const delays = [fault(), fault()];

    recovery.succeeded();
    delays.push(fault());

    expect(delays).toEqual([100, 200, 100]);
  });

  it('honours Retry-After, of any answer (point 8)', () => {
    const { recovery } = recoveryAt();

    expect(recovery.after(WATCHING, failed(statusError(429, { retryAfterMs: 7000 }))).delayMs).toBe(7000);
    expect(recovery.after(WATCHING, failed(statusError(503, { retryAfterMs: 2000 }))).delayMs).toBe(2000);
  });

  it('takes a Retry-After below 500 ms for none, so that no server is asked without a pause', () => {
    const { recovery } = recoveryAt();

    for (const retryAfterMs of [0, 1, 499]) {
      const { delayMs } = recovery.after(WATCHING, failed(statusError(429, { retryAfterMs })));
      expect(delayMs).toBeGreaterThanOrEqual(500);
    }
  });

  it('lists at once after an expiry, first from what was seen, then what is now', () => {
    const { recovery } = recoveryAt();

    const first = recovery.after(WATCHING, failed(statusError(410)));
    const second = recovery.after(first.position, failed(statusError(410)));

    expect([first.delayMs, second.delayMs]).toEqual([0, 0]);
    expect(second.position).toEqual(NEWEST);
  });

  it('backs off when lists do not cure expiries', () => {
    const { recovery } = recoveryAt();

    const delays = Array.from({ length: 3 }, () => recovery.after(WATCHING, failed(statusError(410))).delayMs);

    expect(delays).toEqual([0, 800, 1500]);
  });

  it('lists again when the server has failed for half a minute (point 9)', () => {
    const { clock, recovery } = recoveryAt();
    const fault = () => recovery.after(WATCHING, failed(statusError(500))).position;
    const early = [fault(), fault()];

    clock.ms = 31_000;

    expect(early).toEqual([WATCHING, WATCHING]);
    expect(fault()).toEqual(LISTING);
  });
});
