import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import {
  IdleError,
  readBody,
  readStart,
  readWhole,
  TooLargeError,
  TruncatedError,
} from '../../../src/kube/http/body.ts';
import type { HttpResponse } from '../../../src/kube/http/http.ts';

const never = new AbortController().signal;

interface Scripted extends HttpResponse {
  readonly body: PassThrough;
  readonly cancelled: () => boolean;
}

function scripted({ isTruncated = false } = {}): Scripted {
  const body = new PassThrough();
  let isCancelled = false;
  return {
    status: 200,
    headers: {},
    body,
    carrier: { silentForMs: () => 0, lost: never, isPinged: true },
    cancel() {
      isCancelled = true;
      body.destroy();
    },
    cancelled: () => isCancelled,
    isTruncated: () => isTruncated,
  };
}

const MIB = 1024 * 1024;

describe('the bounds of a body', () => {
  const endless = () => {
    const response = scripted();
    const timer = setInterval(() => response.body.write('x'.repeat(MIB)), 0);
    response.body.once('close', () => clearInterval(timer));
    return { response, stop: () => clearInterval(timer) };
  };

  it('readWhole rejects and cancels as soon as there is more than the limit', async () => {
    const { response, stop } = endless();

    await expect(readWhole(response, { signal: never, maxBytes: 3 * MIB })).rejects.toThrow(
      new TooLargeError(`the response has more than ${3 * MIB} bytes`),
    );
    stop();
    expect(response.cancelled()).toBe(true);
  });

  it('readStart takes what it wants, and cancels the rest', async () => {
    const { response, stop } = endless();

    expect(await readStart(response, { signal: never }, 10)).toHaveLength(10);
    stop();
    expect(response.cancelled()).toBe(true);
  });
});

describe('readBody', () => {
  it('gives every byte in order', async () => {
    const response = scripted();
    const whole = readWhole(response, { signal: never });
    response.body.write('one ');
    response.body.write('two ');
    response.body.end('three');

    expect((await whole).toString()).toBe('one two three');
    expect(response.cancelled()).toBe(false);
  });

  it('takes what arrives while the reader is busy, up to a limit, then goes on where it was', async () => {
    const response = scripted();
    const chunks = readBody(response, { signal: never });
    const piece = Buffer.alloc(MIB, 'x');
    for (let count = 0; count < 30; count++) response.body.write(piece);
    response.body.end();
    const first = await chunks.next();
    await new Promise((resolve) => setImmediate(resolve));
    const isHeld = response.body.isPaused();

    let bytes = first.value?.length ?? 0;
    for await (const chunk of chunks) bytes += chunk.length;

    expect(isHeld).toBe(true);
    expect(bytes).toBe(30 * MIB);
  });

  it('does not take a reader that is behind for silence', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const response = scripted();
    const chunks = readBody(response, { signal: never, idleTimeoutMs: 1000 });
    for (let count = 0; count < 30; count++) response.body.write(Buffer.alloc(MIB));
    await chunks.next();
    await vi.advanceTimersByTimeAsync(5000);

    let count = 1;
    const rest = (async () => {
      for await (const chunk of chunks) {
        count += chunk.length > 0 ? 1 : 0;
        if (count === 30) response.body.end();
      }
    })();

    await rest;
    expect(count).toBe(30);
  });

  it('throws IdleError after silence and cancels the response', async () => {
    const response = scripted();
    response.body.write('x');

    await expect(readWhole(response, { signal: never, idleTimeoutMs: 20 })).rejects.toThrow(IdleError);
    expect(response.cancelled()).toBe(true);
  });

  it('throws the error of the connection after what came before it', async () => {
    const response = scripted();
    const got: string[] = [];
    response.body.write('x');

    const read = (async () => {
      for await (const chunk of readBody(response, { signal: never })) {
        got.push(Buffer.from(chunk).toString());
        response.body.destroy(new Error('reset'));
      }
    })();

    await expect(read).rejects.toThrow('reset');
    expect(got).toEqual(['x']);
  });

  it('reads on what an HTTP/2 stream still holds that counts as closed', async () => {
    const response = scripted();
    response.body.end('last');
    Object.defineProperty(response.body, 'closed', { value: true });

    expect((await readWhole(response, { signal: never })).toString()).toBe('last');
  });

  it('throws TruncatedError when the response was lost before or while it is read', async () => {
    const before = scripted();
    before.body.destroy();
    const during = scripted();
    const read = readWhole(during, { signal: never });
    during.body.destroy();

    await expect(readWhole(before, { signal: never })).rejects.toThrow(TruncatedError);
    await expect(read).rejects.toThrow(TruncatedError);
  });

  it('throws TruncatedError when the connection knows that the end was cut off', async () => {
    const response = scripted({ isTruncated: true });
    response.body.end('x');

    await expect(readWhole(response, { signal: never })).rejects.toThrow(TruncatedError);
  });

  it('cancels the response when the reader leaves, and leaves no listener', async () => {
    const response = scripted();
    const { signal } = new AbortController();
    response.body.write('x');

    for await (const chunk of readBody(response, { signal, idleTimeoutMs: 1000 })) {
      expect(chunk.length).toBe(1);
      break;
    }

    expect(response.cancelled()).toBe(true);
    expect(response.body.listenerCount('data')).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('throws the reason of an abort at once, whatever still waits to be read', async () => {
    const response = scripted();
    const controller = new AbortController();
    response.body.write('x');
    const chunks = readBody(response, { signal: controller.signal });
    await chunks.next();
    response.body.write('y');

    controller.abort(new Error('enough'));

    await expect(chunks.next()).rejects.toThrow('enough');
    expect(response.cancelled()).toBe(true);
  });
});
