import { describe, expect, it } from 'vitest';
import { parseResult } from '../../src/effects/read-result.ts';
import { defineHook, type HookRun, kubernetes, Later, Permanent } from '../../src/sdk/index.ts';

const bindings = { pods: kubernetes({ kind: 'Pod' }) };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const object = { kind: 'Pod', metadata: { name: 'a' } };
const event = { binding: 'pods', type: 'Event', watchEvent: 'Added', object };

type Run = HookRun<typeof bindings>;

async function execute(run: (run: Run) => void, contexts: readonly unknown[] = [event, event]) {
  const hook = defineHook({ bindings, run });
  return hook.execute(contexts, { log, signal: new AbortController().signal, runId: 'an-id' });
}

/** What the operator reads of the result of a run of two objects. */
async function said(run: (run: Run) => void) {
  const { result, error } = await execute(run);
  expect(error).toBeUndefined();
  const scope = { contexts: ['a', 'b'].map((name) => ({ object: name, isReconcile: true })) };
  return parseResult(result, scope).result;
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

describe('the result of a hook', () => {
  it('says nothing of itself', async () => {
    expect(await execute(() => {})).toEqual({ patch: '', metrics: '', result: '' });
  });

  it('is what the operator reads', async () => {
    const result = await said(({ result: all, contexts, runId }) => {
      all.retryAfter('10m');
      all.output({ runId });
      all.event({ type: 'Warning', reason: 'Odd', object: { apiVersion: 'v1', kind: 'Pod', name: 'c' } });
      const first = all.context(contexts[0]);
      first.condition({ type: 'Ready', status: 'Unknown', reason: 'Begun' });
      first.condition({ type: 'Ready', status: 'True', reason: 'There', message: 'ü'.repeat(1000) });
      all.context(0).status({ a: 1 });
      first.status({ b: 2 });
      first.children([object, { object, after: ['x'] }]);
      first.finalized();
      const second = all.context(contexts[1]);
      second.failed('NoQuorum', 'text');
      second.later('30s');
    });

    expect(result).toMatchObject({
      retryAfterMs: 600_000,
      output: '{"runId":"an-id"}',
      events: [{ type: 'Warning', reason: 'Odd', message: '', object: { name: 'c' } }],
    });
    expect(result?.contexts).toEqual(
      new Map<number, unknown>([
        [
          0,
          {
            conditions: [{ type: 'Ready', status: 'True', reason: 'There', message: `${'ü'.repeat(510)}…` }],
            events: [],
            status: { a: 1, b: 2 },
            children: [
              { object, after: [] },
              { object, after: ['x'] },
            ],
            finalized: true,
          },
        ],
        [1, { outcome: 'later', retryAfterMs: 30_000, conditions: [], events: [] }],
      ]),
    );
  });

  it('has copies, which do not change with what was given', async () => {
    const result = await said(({ result: all }) => {
      const value = { a: 1 };
      all.output(value);
      value.a = 2;
    });

    expect(result?.output).toBe('{"a":1}');
  });

  it.each<[string, (run: Run) => void, RegExp]>([
    ['NaN', ({ result }) => result.output({ a: NaN }), /^result\.output: a is NaN; expected what JSON has/],
    [
      'a cycle',
      ({ result }) =>
        result.status({
          get self() {
            return this;
          },
        }),
      /^result\.status: .*contains itself/,
    ],
    ['no duration', ({ result }) => result.retryAfter('soon'), /^result\.retryAfter: got "soon", expected a duration/],
    ['no time', ({ result }) => result.later('0s'), /^result\.retryAfter: got "0s", expected a duration/],
    ['no word', ({ result }) => result.failed('no word'), /^result\.failed: got "no word" as the reason/],
    ['a context of another run', ({ result }) => void result.context({}), /^result\.context: this run has 2 context/],
    ['an index behind the last', ({ result }) => void result.context(2), /^result\.context: this run has 2 context/],
    ['half an index', ({ result }) => void result.context(0.5), /^result\.context: this run has 2 context/],
  ])('is refused where it is given %s', async (_what, run, message) => {
    const { error } = await execute(run);

    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });
});

describe('a hook that throws', () => {
  it('Later has what it asked and said before, and no error', async () => {
    const ended = await execute(({ patch, result }) => {
      patch.delete(object);
      result.output(1);
      throw new Later('1m30s', 'waiting');
    });

    expect(ended).toEqual({
      patch: '{"operation":"Delete","kind":"Pod","name":"a"}\n',
      metrics: '',
      result: '{"output":1,"outcome":"later","retryAfter":"1m30s","message":"waiting"}\n',
      outcome: 'later',
    });
  });

  it('Permanent has its reason and a message of at most 1024 bytes', async () => {
    const { result, outcome } = await execute(throwing(new Permanent('NoQuorum', '€'.repeat(100_000))));

    const { message, ...rest } = JSON.parse(result);
    expect(rest).toEqual({ outcome: 'permanent', reason: 'NoQuorum' });
    expect(message).toMatch(/^€{340}…$/);
    expect(outcome).toBe('permanent');
  });

  it('Later without a time comes again when its binding says', async () => {
    expect((await execute(throwing(new Later()))).result).toBe('{"outcome":"later"}\n');
  });

  it('one of another copy of the package ends the same way', async () => {
    const foreign = Object.assign(new Error('waiting'), { [Symbol.for('hooklet.later')]: true, retryAfter: '5s' });

    expect((await execute(throwing(foreign))).result).toBe(
      '{"outcome":"later","retryAfter":"5s","message":"waiting"}\n',
    );
  });

  it('an odd one of another copy is an error of the result, not of the operator', async () => {
    const odd = { [Symbol.for('hooklet.permanent')]: true, reason: 1, message: { toString: 1 } };
    const broken = Object.defineProperty({}, Symbol.for('hooklet.later'), { value: true });
    Object.defineProperty(broken, 'message', { get: throwing(new Error('no luck')) });

    expect((await execute(throwing(odd))).result).toBe('{"outcome":"permanent"}\n');
    expect(await execute(throwing(broken))).toMatchObject({ result: '', error: broken });
  });

  it('any other error has failed with what it said before', async () => {
    const error = new Error('no luck');

    const ended = await execute(({ result }) => {
      result.output(1);
      throw error;
    });

    expect(ended).toEqual({ patch: '', metrics: '', result: '{"output":1}\n', error });
  });

  it('cannot end with a word that is none', () => {
    expect(() => new Later('30')).toThrow('new Later: got "30", expected a duration such as "30s" or "1h30m"');
    expect(() => new Permanent('no word')).toThrow('new Permanent: got "no word" as the reason');
  });
});
