import { describe, expect, it, onTestFinished } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { asJsonObject } from '../../../src/kube/object.ts';
import type { WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import { readRefusals, readRegistered } from '../../../src/sources/admission/registered.ts';
import { Registration } from '../../../src/sources/admission/registration.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import type { JsonObject } from '../../../src/lib/json-object.ts';

const webhook = (name: string, more: object = {}): JsonObject => ({
  name,
  clientConfig: { url: `https://h/hooks/${name}` },
  rules: [],
  ...more,
});

/** As much of a subscriber's first method as a registration uses. */
interface Listed {
  listed(record: object, object: object): void;
}

interface Given {
  /** The webhooks that the API server refuses. */
  readonly isBad: (webhook: JsonObject) => boolean;
  /** What is there at the start. */
  readonly before?: readonly JsonObject[];
  /** What others registered besides, which an apply leaves there and counts first. */
  readonly ofOthers?: readonly JsonObject[];
}

/** A registration on an API server that refuses some webhooks, with the time in the hands of the test. */
function driven({ isBad, before, ofOthers = [] }: Given) {
  const subscribers: (Listed & WatchSubscriber)[] = [];
  let version = 1;
  let object: JsonObject | undefined;
  const store = (metadata: JsonObject, webhooks: readonly JsonObject[]): void => {
    version += 1;
    object = { metadata: { ...metadata, uid: 'u', resourceVersion: String(version) }, webhooks };
  };
  if (before !== undefined) store({}, [...ofOthers, ...before]);
  const tell = (): void => {
    for (const subscriber of subscribers) {
      if (object !== undefined) subscriber.listed({ uid: 'u' }, { value: object });
      subscriber.listDone([]);
    }
  };
  const writes: string[] = [];
  const request = async ({ contentType, body }: KubeRequest): Promise<unknown> => {
    const sent = asJsonObject(JSON.parse(String(body)));
    const isApplied = contentType === 'application/apply-patch+yaml';
    const list = Array.isArray(sent['webhooks']) ? sent['webhooks'].map(asJsonObject) : [];
    const webhooks = isApplied ? [...ofOthers, ...list] : list;
    writes.push(`${isApplied ? 'apply' : 'replace'} ${list.map(({ name }) => name).join(' ')}`);
    const issues = webhooks.flatMap((one, index) =>
      isBad(one) ? [{ path: `webhooks[${index}].rules`, message: `bad ${String(one['name'])}` }] : [],
    );
    const message = `PATCH: 422 test of resourceVersion ${issues.map(({ path }) => path).join()}`;
    if (issues.length > 0) throw new KubeError(message, { status: 422, reason: 'Invalid', issues });
    const annotations = { ...annotationsOf(object), ...annotationsOf(sent) };
    store({ ...asJsonObject(sent['metadata']), annotations }, webhooks);
    setImmediate(tell);
    return object;
  };
  let wanted: readonly JsonObject[] = [];
  let revision = 0;
  let nowMs = 0;
  const log = recordingLogger();
  const registration = new Registration({
    kind: 'ValidatingWebhookConfiguration',
    name: 'test-hooks',
    namespace: 'ns',
    writer: 'me',
    client: { request },
    watches: {
      subscribe: (_target, subscriber) => {
        subscribers.push(subscriber);
        return { unsubscribe: () => {}, relist: () => {}, lastContactAtMs: undefined };
      },
      ended: async () => {},
    },
    wanted: () => ({ webhooks: wanted, isPartial: false, revision }),
    hookOf: (name) => `${name}.sh`,
    isAble: () => true,
    bundleFor: () => undefined,
    isGone: async () => false,
    onChange: () => {},
    monotonicMs: () => nowMs,
    log,
  });
  const ends = new AbortController();
  onTestFinished(() => ends.abort());
  tell();
  const settle = async (): Promise<void> => {
    registration.look();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  };
  let isRunning = false;
  return {
    registration,
    /** Takes the writes since the last call. */
    writes: () => writes.splice(0),
    warnings: () => log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    errors: () => log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['webhook']),
    registered: () => readRegistered(object ?? {}).webhooks,
    refusals: () => readRefusals(readRegistered(object ?? {}).refusals),
    /** The hooks were loaded, and want these. */
    want: async (...webhooks: JsonObject[]) => {
      wanted = webhooks;
      revision += 1;
      if (!isRunning) void registration.run(ends.signal);
      isRunning = true;
      await settle();
    },
    /** Another replica has written these. */
    other: async (...webhooks: JsonObject[]) => {
      store({}, webhooks);
      tell();
      await settle();
    },
    later: async (ms: number) => {
      nowMs += ms;
      await settle();
    },
  };
}

function annotationsOf(object: JsonObject | undefined): JsonObject {
  return asJsonObject(asJsonObject(object?.['metadata'])['annotations']);
}

const [a, b, c, d] = [webhook('a'), webhook('b'), webhook('c'), webhook('d')];
const isOf =
  (...names: string[]) =>
  ({ name }: JsonObject): boolean =>
    names.includes(String(name));

describe('a registration of which the API server refuses some webhooks', () => {
  it('has the others, and says in an annotation which hooks want the rest, and why not', async () => {
    const server = driven({ isBad: isOf('b', 'd') });

    await server.want(a, b, c, d);

    expect(server.writes()).toEqual(['apply a b c d', 'apply a c']);
    expect(server.registered()).toEqual([a, c]);
    const refusals = [
      { webhook: 'b', hook: 'b.sh', reason: 'rules: bad b' },
      { webhook: 'd', hook: 'd.sh', reason: 'rules: bad d' },
    ];
    expect(server.refusals()).toEqual(refusals);
    expect(server.registration.refusals).toMatchObject(refusals);
    expect(server.registration.problem).toBeUndefined();
    expect([...server.registration.registered()]).toEqual(['a', 'c']);
    expect(server.errors()).toEqual(['b', 'd']);
  });

  it('says so where nothing else is wanted, and takes it back with the hook', async () => {
    const server = driven({ isBad: isOf('a') });

    await server.want(a);
    expect([server.registered(), server.refusals().length]).toEqual([[], 1]);

    await server.want();
    expect(server.refusals()).toEqual([]);
    expect(server.registration.refusals).toEqual([]);
  });

  it('tries one again when hooks were loaded and after 5 minutes, and tells only what is new', async () => {
    let bad = ['b'];
    const server = driven({ isBad: (one) => isOf(...bad)(one) });
    await server.want(a, b);
    server.writes();

    await server.later(299_999);
    expect(server.writes()).toEqual([]);
    await server.later(1);
    expect(server.writes()).toEqual(['apply a b', 'replace a b']);
    await server.want(a, b);
    expect(server.writes()).toEqual(['apply a b', 'replace a b']);
    expect(server.errors()).toEqual(['b']);

    bad = [];
    await server.want(a, b);
    expect(server.writes()).toEqual(['apply a b']);
    expect(server.registered()).toEqual([a, b]);
    expect([server.refusals(), server.registration.refusals]).toEqual([[], []]);
  });

  it('forgets of one that another replica has registered as it is wanted', async () => {
    const server = driven({ isBad: isOf('b') });
    await server.want(a, b);

    await server.other(a, b);

    expect([server.registered(), server.refusals(), server.registration.refusals]).toEqual([[a, b], [], []]);
  });

  it('keeps the form in which one was registered before, unless that is refused too', async () => {
    let isAllBad = false;
    const changed = webhook('a', { timeoutSeconds: 7 });
    const server = driven({
      before: [a],
      isBad: ({ name, timeoutSeconds }) => name === 'a' && (isAllBad || timeoutSeconds === 7),
    });

    await server.want(changed, b);
    expect(server.registered()).toEqual([a, b]);
    expect([...server.registration.registered()]).toEqual(['b']);

    isAllBad = true;
    await server.want(changed, b, c);
    expect(server.registered()).toEqual([b, c]);
    expect(server.refusals()).toMatchObject([{ webhook: 'a' }]);
  });

  it('knows which one is meant where others have registered webhooks before its own', async () => {
    const server = driven({ before: [], ofOthers: [c], isBad: isOf('b') });

    await server.want(a, b);

    expect(server.registered()).toEqual([a]);
    expect(server.errors()).toEqual(['b']);
  });
});

describe('a registration that somebody undoes again and again', () => {
  it('is written 5 times at once and then after 1, 2, 4, 8, 16, 32 and 60 s, which the log says once', async () => {
    const server = driven({ isBad: () => false });
    const isWrittenAgain = async (): Promise<boolean> => {
      await server.other(b);
      return server.writes().length > 0;
    };
    await server.want(a);
    const before = server.writes().length;

    for (let time = before + 1; time <= 5; time++) expect(await isWrittenAgain(), `time ${time}`).toBe(true);
    for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      expect(await isWrittenAgain()).toBe(false);
      expect(server.registration.problem).toContain('somebody changes the registered webhooks again and again');
      await server.later(pauseMs - 1);
      expect(server.writes()).toEqual([]);
      await server.later(1);
      expect(server.writes().length).toBeGreaterThan(0);
    }
    expect(server.warnings()).toHaveLength(1);
  });

  it('is written at once when hooks want something else, and after 5 minutes of peace', async () => {
    const server = driven({ isBad: () => false });
    await server.want(a);
    for (let time = 2; time <= 6; time++) await server.other(b);
    server.writes();

    await server.want(a, c);
    expect(server.writes()).not.toEqual([]);

    await server.want(a);
    for (let time = 2; time <= 5; time++) await server.other(b);
    await server.later(300_000);
    server.writes();
    await server.other(b);
    expect(server.writes()).not.toEqual([]);
  });
});
