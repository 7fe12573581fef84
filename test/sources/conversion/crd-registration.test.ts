import { describe, expect, it } from 'vitest';
import { CredentialsError, KubeError } from '../../../src/errors.ts';
import type { WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import { CrdRegistration } from '../../../src/sources/conversion/crd-registration.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** A registration that may neither list nor watch, and whose reads fail as given. */
function unwatched(read: () => Promise<unknown>) {
  const subscribers: WatchSubscriber[] = [];
  const registration = new CrdRegistration({
    crdName: 'crontabs.example.com',
    client: { request: read },
    watches: {
      subscribe: (_target, subscriber) => {
        subscribers.push(subscriber);
        return { unsubscribe: () => {}, relist: () => {}, lastContactAtMs: undefined };
      },
      ended: async () => {},
    },
    clientConfig: () => ({ url: 'https://127.0.0.1/crontabs.example.com' }),
    isAble: () => true,
    bundleFor: () => undefined,
    onChange: () => {},
    monotonicMs: () => performance.now(),
    log: recordingLogger(),
  });
  const forbidden = new KubeError('forbidden', { status: 403, reason: 'Forbidden' });
  for (const subscriber of subscribers) subscriber.failed(forbidden);
  return registration;
}

describe('a converter whose definition may not be watched', () => {
  it.each([
    ['there are no credentials', async () => Promise.reject(new CredentialsError('no token'))],
    ['it is not there', async () => Promise.reject(new KubeError('not found', { status: 404, reason: 'NotFound' }))],
    ['the operator ends', async () => Promise.reject(new DOMException('aborted', 'AbortError'))],
  ])('keeps looking when it cannot be read because %s', async (_law, read) => {
    const controller = new AbortController();
    let reads = 0;
    const registration = unwatched(async () => {
      reads += 1;
      return read();
    });

    const running = registration.run(controller.signal);
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => reads).toBeGreaterThanOrEqual(round);
      await new Promise(setImmediate);
      registration.look();
    }
    controller.abort();

    await expect(running).resolves.toBeUndefined();
  });
});
