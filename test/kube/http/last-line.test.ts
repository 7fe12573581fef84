import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { KubeError } from '../../../src/errors.ts';
import { readWhole } from '../../../src/kube/http/body.ts';
import type { HttpRequest, HttpResponse } from '../../../src/kube/http/http.ts';
import { withLastLine } from '../../../src/kube/http/last-line.ts';
import type { Transport } from '../../../src/kube/http/transport.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
const tls = {};
const get: HttpRequest = { method: 'GET', path: '/', headers: {} };

type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** A last line whose transports behave as `sends` say, in order; the last one stays. */
function lineOf(...sends: readonly Send[]) {
  const closed: number[] = [];
  const replaced: number[] = [];
  const replacedAtMs: number[] = [];
  const startMs = performance.now();
  let created = 0;
  const create = (): Transport => {
    const index = created++;
    const send = sends[Math.min(index, sends.length - 1)];
    return {
      send: async (request, _tls, signal) => {
        if (send === undefined) throw new Error('no transport');
        return send(request, signal);
      },
      close: () => closed.push(index),
    };
  };
  const onReplaced = (silentMs: number): void => {
    replaced.push(Math.round(silentMs));
    replacedAtMs.push(Math.round(performance.now() - startMs));
  };
  return { line: withLastLine({ create, onReplaced }), closed, replaced, replacedAtMs };
}

/** Neither answers nor fails, and ignores its signal. */
const deaf: Send = async () => new Promise(() => {});

function answer(silentForMs: () => number = () => 0): HttpResponse {
  const carrier = { silentForMs, lost: never, isPinged: true };
  return { status: 200, headers: {}, body: new PassThrough(), carrier, cancel: () => {}, isTruncated: () => false };
}

/** Advances the time, and runs what waits for the next turn of the event loop. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    await vi.advanceTimersByTimeAsync(Math.min(1000, left));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends requests as the operator does: each has a timeout, after which it is repeated with a pause. */
function keepAsking({ line }: ReturnType<typeof lineOf>, timeoutMs: number) {
  const state: { answers: number; errors: string[] } = { answers: 0, errors: [] };
  const ask = async (): Promise<void> => {
    for (;;) {
      const controller = new AbortController();
      const over = new KubeError('GET /: no answer in time', { status: 0, reason: 'Timeout' });
      const timer = setTimeout(() => controller.abort(over), timeoutMs);
      try {
        await line.send(get, tls, controller.signal);
        state.answers += 1;
        return;
      } catch (error) {
        state.errors.push(String(error));
      } finally {
        clearTimeout(timer);
      }
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  };
  void ask();
  return state;
}

describe('the last line', () => {
  it.each([10_000, 30_000, 60_000])(
    'replaces a transport of which nothing comes within 30 s, with requests that last %i ms',
    async (timeoutMs) => {
      const rig = lineOf(deaf, async () => answer());
      const state = keepAsking(rig, timeoutMs);

      await pass(24_999);
      const before = [...rig.replaced];
      await pass(5001);

      expect(before).toEqual([]);
      expect(rig.replaced).toHaveLength(1);
      expect(rig.replacedAtMs[0]).toBeLessThanOrEqual(30_000);
      expect(rig.closed).toEqual([0]);
      await pass(timeoutMs + 2000);
      expect(state.answers).toBe(1);
    },
  );

  it('does not replace a transport that reports an unreachable server', async () => {
    const rig = lineOf(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      throw new Error('no connection within 10 s');
    });
    keepAsking(rig, 30_000);

    await pass(300_000);

    expect(rig.replaced).toEqual([]);
  });

  it('leaves a request alone that takes 60 s on a connection that answers pings', async () => {
    const rig = lineOf(async (request) => {
      request.onCarried?.({ silentForMs: () => 1000, lost: never, isPinged: true });
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return answer();
    });
    const state = keepAsking(rig, 120_000);

    await pass(61_000);

    expect([rig.replaced, state.answers]).toEqual([[], 1]);
  });

  it('leaves alone what its caller ends', async () => {
    const rig = lineOf(deaf);
    const controller = new AbortController();
    const sent = rig.line.send(get, tls, controller.signal).catch((error: unknown) => String(error));
    controller.abort(new Error('enough'));

    expect(await sent).toBe('Error: enough');
    await pass(300_000);
    expect(rig.replaced).toEqual([]);
  });

  it('fails a watch whose connection was silent for 90 s, whatever the transport reports', async () => {
    const openedAtMs = performance.now();
    const rig = lineOf(async () => answer(() => performance.now() - openedAtMs));
    const whole = readWhole(await rig.line.send(get, tls, never), { signal: never }).catch(String);

    await pass(89_999);
    const before = [...rig.replaced];
    await pass(5001);

    expect(before).toEqual([]);
    expect(rig.replaced).toEqual([90_000]);
    expect(await whole).toContain('nothing was received for 90 s');
  });

  it('does not wake an idle process', async () => {
    const rig = lineOf(async () => answer());
    const response = await rig.line.send(get, tls, never);
    response.done?.();

    await pass(5000);

    expect(vi.getTimerCount()).toBe(0);
  });
});
