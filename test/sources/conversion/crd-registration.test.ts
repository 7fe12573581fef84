import { describe, expect, it, onTestFinished } from 'vitest';
import { CredentialsError, KubeError } from '../../../src/errors.ts';
import type { WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import { CrdRegistration, type CrdRegistrationOptions } from '../../../src/sources/conversion/crd-registration.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** A registration that may neither list nor watch, and whose reads fail as given. */
function unwatched(request: CrdRegistrationOptions['client']['request'], more: Partial<CrdRegistrationOptions> = {}) {
  const subscribers: WatchSubscriber[] = [];
  const registration = new CrdRegistration({
    crdName: 'crontabs.example.com',
    owner: 'default/a',
    client: { request },
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
    answers: async () => true,
    onContested: () => {},
    onChange: () => {},
    monotonicMs: () => performance.now(),
    log: recordingLogger(),
    ...more,
  });
  const forbidden = new KubeError('forbidden', { status: 403, reason: 'Forbidden' });
  for (const subscriber of subscribers) subscriber.failed(forbidden);
  return registration;
}

describe('a converter whose definition is not there', () => {
  it('says so once', async () => {
    const subscribers: WatchSubscriber[] = [];
    const log = recordingLogger();
    const registration = unwatched(async () => Promise.reject(new Error('not asked')), {
      log,
      watches: {
        subscribe: (_target, subscriber) => {
          subscribers.push(subscriber);
          return { unsubscribe: () => {}, relist: () => {}, lastContactAtMs: undefined };
        },
        ended: async () => {},
      },
    });
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    for (const subscriber of subscribers) subscriber.listDone([]);
    void registration.run(controller.signal);
    for (let round = 1; round <= 3; round++) {
      registration.look();
      await new Promise(setImmediate);
    }

    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields, message }) => [fields['crd'], message])).toEqual([
      ['crontabs.example.com', 'there is no such CustomResourceDefinition yet, it is awaited'],
    ]);
  });
});

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

/** A definition on a server, and installations of hooklet that register their converters in it. */
function definition() {
  const crd = {
    metadata: {
      name: 'crontabs.example.com',
      uid: '1',
      resourceVersion: '1',
      annotations: {} as Record<string, string>,
    },
    spec: { conversion: {} as Record<string, unknown> },
  };
  let nowMs = 0;
  let writes = 0;
  const ends = new AbortController();
  onTestFinished(() => ends.abort());
  const request: CrdRegistrationOptions['client']['request'] = async ({ method, body }) => {
    if (method === 'PATCH') {
      const patch = JSON.parse(String(body), (_, value) => value ?? undefined);
      writes += 1;
      crd.metadata = {
        ...crd.metadata,
        resourceVersion: String(writes + 1),
        annotations: { ...crd.metadata.annotations, ...patch.metadata.annotations },
      };
      crd.spec = { conversion: { ...crd.spec.conversion, ...patch.spec?.conversion } };
    }
    return structuredClone(crd);
  };
  const install = (owner: string, answers: () => boolean, url = `https://${owner}`) => {
    const asked: string[] = [];
    const contested: string[] = [];
    const registration = unwatched(request, {
      owner,
      clientConfig: () => ({ url: `${url}/crontabs.example.com` }),
      answers: async ({ clientConfig }) => {
        asked.push(String(clientConfig['url']));
        return answers();
      },
      onContested: (problem) => contested.push(problem),
      monotonicMs: () => nowMs,
    });
    void registration.run(ends.signal);
    /** Looks again after this time. */
    const look = async (afterMs = 0): Promise<void> => {
      nowMs += afterMs;
      registration.look();
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    };
    return { registration, asked, contested, look };
  };
  const owner = (): string | undefined => crd.metadata.annotations['hooklet.dev/converter'];
  return { install, owner, writes: () => writes };
}

describe('a converter that another installation has', () => {
  it('is left alone while that one answers, and it is told once who has it', async () => {
    const { install, owner, writes } = definition();
    const a = install('default/a', () => true);
    await a.look();
    const b = install('other/b', () => true);
    for (let round = 0; round < 10; round++) {
      await b.look(20_000);
      await a.look();
    }

    expect(owner()).toBe('default/a');
    expect(writes()).toBe(1);
    expect(b.contested).toEqual([expect.stringContaining('belongs to the hooklet default/a, at https://default/a/')]);
    expect([a.registration.isRegistered, b.registration.isRegistered]).toEqual([true, false]);
    expect(a.asked).toEqual([]);
  });

  it('is taken when that one has not answered for 30 s, and not given back when it returns', async () => {
    const { install, owner } = definition();
    const a = install('default/a', () => true);
    await a.look();
    let isThere = false;
    const b = install('other/b', () => isThere);
    await b.look();
    isThere = true;
    await b.look(29_000);
    isThere = false;
    for (const afterMs of [10_000, 10_000, 10_000, 9000]) await b.look(afterMs);
    expect(owner()).toBe('default/a');
    await b.look(1000);
    expect(owner()).toBe('other/b');
    await a.look(60_000);
    await b.look();

    expect(owner()).toBe('other/b');
    expect([a.registration.isRegistered, b.registration.isRegistered]).toEqual([false, true]);
    expect(a.contested).toEqual([expect.stringContaining('belongs to the hooklet other/b')]);
  });

  it('is asked at most once in 10 s, however often something changes', async () => {
    const { install } = definition();
    await install('default/a', () => true).look();
    const b = install('other/b', () => true);
    for (let round = 0; round < 20; round++) await b.look(1000);

    expect(b.asked).toHaveLength(2);
  });
});

describe('a converter of the same installation', () => {
  it('is replaced at once, wherever the one before is', async () => {
    const { install, writes } = definition();
    await install('default/a', () => true, 'https://old').look();
    const changed = install('default/a', () => true, 'https://new');
    await changed.look();

    expect(writes()).toBe(2);
    expect(changed.registration.isRegistered).toBe(true);
    expect(changed.asked).toEqual([]);
  });
});
