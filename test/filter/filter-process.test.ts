import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FilterOutcome } from '../../src/filter/compiled-filter.ts';
import type { ChildListener } from '../../src/filter/filter-child-process.ts';
import { FilterProcess, type FilterRequest } from '../../src/filter/filter-process.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const request = (tenant: string): FilterRequest => ({
  type: 'jq',
  expression: '.a',
  json: Buffer.from('{}'),
  tenant,
  version: '',
});

/** Filter processes that the test controls; each is ready at once unless `isReady` is false. */
function rig({ isReady = true } = {}) {
  const events: string[] = [];
  const children: ChildListener[] = [];
  const sent: { readonly id: number; readonly limitMs: number }[] = [];
  const process = new FilterProcess({
    now: () => Date.now(),
    start: (listener) => {
      const number = children.push(listener);
      events.push(`start ${number}`);
      return {
        send: ({ header }) => {
          sent.push(header as (typeof sent)[number]);
          if (isReady) listener.frame({ header: { type: 'ready' }, body: new Uint8Array(0) });
        },
        kill: () => {
          events.push(`kill ${number}`);
          listener.ended('killed');
        },
        keepAlive: () => {},
      };
    },
  });
  const run = (tenant: string): FilterOutcome[] => {
    const outcomes: FilterOutcome[] = [];
    void process.run(request(tenant)).then((outcome) => outcomes.push(outcome));
    return outcomes;
  };
  const answer = (header: object, text = ''): void => {
    const id = sent.at(-1)?.id;
    children.at(-1)?.frame({ header: { id, ...header }, body: Buffer.from(text) });
  };
  return { process, children, events, sent, run, answer };
}

describe('FilterProcess', () => {
  it('starts a process when it is needed, and lets it go after 30 s without work', async () => {
    const { events, run, answer } = rig();
    expect(events).toEqual([]);
    const outcomes = run('a');
    answer({ type: 'done' }, '1');
    await vi.advanceTimersByTimeAsync(29_999);

    expect(outcomes).toEqual([{ result: '1' }]);
    expect(events).toEqual(['start 1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual(['start 1', 'kill 1']);
  });

  it('kills a process that does not answer 500 ms after the limit, gives the filter its second, then an error', async () => {
    const { events, sent, run } = rig();
    const outcomes = run('a');
    await vi.advanceTimersByTimeAsync(599);
    expect(events).toEqual(['start 1']);

    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual(['start 1', 'kill 1', 'start 2']);
    expect(sent.map(({ limitMs }) => limitMs)).toEqual([100, 1000]);
    await vi.advanceTimersByTimeAsync(1500);

    expect(outcomes).toEqual([{ result: 'null', error: 'the filter was stopped after 1000 ms' }]);
  });

  it('tells of a process that died why, and does the next with another one', async () => {
    const { children, events, run, answer } = rig();
    const first = run('a');
    const second = run('b');
    children[0]?.ended('the filter was stopped: it took more than 128 MB of memory');
    answer({ type: 'done' }, '2');
    await vi.advanceTimersByTimeAsync(0);

    expect(first).toEqual([{ result: 'null', error: 'the filter was stopped: it took more than 128 MB of memory' }]);
    expect(second).toEqual([{ result: '2' }]);
    expect(events).toEqual(['start 1', 'start 2']);
  });

  it('gives up on a process that is not ready within 5 s', async () => {
    const { run } = rig({ isReady: false });
    const outcomes = run('a');
    await vi.advanceTimersByTimeAsync(5000);

    expect(outcomes).toEqual([
      {
        result: 'null',
        error: 'the process for slow filters could not be started: not within 5000 ms',
      },
    ]);
  });

  it('settles all of 1,000 filters that never end within 47 s', async () => {
    const { run } = rig();
    const outcomes = Array.from({ length: 1000 }, (_unused, index) => run(`tenant ${index}`));
    await vi.advanceTimersByTimeAsync(47_000);

    expect(outcomes.filter(({ length }) => length === 1).length).toBe(1000);
  });

  it('does not hear what a process says that was let go', async () => {
    const { children, process, run } = rig();
    const outcomes = run('a');
    process.end();
    children[0]?.frame({ header: { type: 'done', id: 1 }, body: Buffer.from('1') });
    await vi.advanceTimersByTimeAsync(0);

    expect(outcomes).toEqual([]);
  });
});
