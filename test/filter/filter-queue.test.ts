import { describe, expect, it } from 'vitest';
import { FilterQueue, TOO_MANY, type FilterJob, type Turn } from '../../src/filter/filter-queue.ts';

const SLOW_LIMIT_MS = 1000;

const job = (tenant: string, version = '', bytes = 10): FilterJob => ({ filter: 'jq .a', tenant, version, bytes });

/** Takes turns until none is left, each of which runs into its time limit; returns `tenant limitMs` of each. */
function stopAll(queue: FilterQueue<FilterJob>): readonly string[] {
  const turns: string[] = [];
  for (let turn = queue.next(0); turn !== undefined; turn = queue.next(0)) {
    turns.push(`${turn.job.tenant} ${turn.limitMs}`);
    queue.stopped(turn, { tookMs: turn.limitMs, nowMs: 0 });
  }
  return turns;
}

function turnOf(queue: FilterQueue<FilterJob>, nowMs = 0): Turn<FilterJob> {
  const turn = queue.next(nowMs);
  if (turn === undefined) throw new Error('no job has a turn');
  return turn;
}

describe('FilterQueue', () => {
  it('gives 100 ms at first and 1000 ms in the end, when those that need less had their turn', () => {
    const queue = new FilterQueue();
    for (const tenant of ['a', 'b']) queue.add(job(tenant), 0);

    expect(stopAll(queue)).toEqual(['a 100', 'b 100', 'a 1000', 'b 1000']);
  });

  it('lets tenants take turns: 1 object of one waits behind 1 of the 1,000 of another', () => {
    const queue = new FilterQueue();
    for (let index = 0; index < 1000; index += 1) queue.add(job('many'), 0);
    queue.add(job('one'), 0);

    const tenants = [turnOf(queue), turnOf(queue)].map((turn) => turn.job.tenant);

    expect(tenants).toEqual(['many', 'one']);
  });

  it('gives slow filters at most half of the time while others wait', () => {
    const queue = new FilterQueue();
    queue.add(job('slow'), 0);
    queue.add(job('slow'), 0);
    const spent = { quick: 0, slow: 0 };
    for (let turns = 0; turns < 200; turns += 1) {
      queue.add(job(`quick${turns}`), 0);
      const turn = turnOf(queue);
      const isSlow = turn.job.tenant === 'slow';
      const tookMs = isSlow ? turn.limitMs : 20;
      spent[turn.limitMs === SLOW_LIMIT_MS ? 'slow' : 'quick'] += tookMs;
      if (isSlow) queue.stopped(turn, { tookMs, nowMs: 0 });
      else queue.done(turn, tookMs);
      if (isSlow && turn.limitMs === SLOW_LIMIT_MS) queue.add(job('slow'), 0);
    }

    expect(spent.slow).toBeGreaterThan(SLOW_LIMIT_MS);
    expect(spent.slow).toBeLessThanOrEqual(spent.quick + SLOW_LIMIT_MS);
  });

  it('does not try the same filter on the same version of an object again after it was stopped', () => {
    const queue = new FilterQueue();
    queue.add(job('a', 'uid 1'), 0);
    stopAll(queue);

    expect(queue.add(job('a', 'uid 1'), 0)).toBe('the filter was stopped after 1000 ms');
    expect(queue.add(job('a', 'uid 2'), 0)).toBeUndefined();
  });

  it('gives another filter on that version its turn among the slow ones', () => {
    const queue = new FilterQueue();
    queue.add(job('a', 'uid 1'), 0);
    stopAll(queue);
    queue.add({ ...job('a', 'uid 1'), filter: 'jq .b' }, 0);

    expect(turnOf(queue).limitMs).toBe(1000);
  });

  it('gives a tenant no quick turn after 3 filters that were stopped, for 10 minutes', () => {
    const queue = new FilterQueue();
    for (let index = 0; index < 3; index += 1) queue.add(job('a', `uid ${index}`), 0);
    stopAll(queue);

    queue.add(job('a'), 599_999);
    expect(turnOf(queue, 599_999).limitMs).toBe(1000);
    queue.add(job('a'), 600_000);
    expect(turnOf(queue, 600_000).limitMs).toBe(100);
  });

  it('gives 1,000 objects of one tenant 3 quick turns, where all of them were there at the start', () => {
    const queue = new FilterQueue();
    for (let index = 0; index < 1000; index += 1) queue.add(job('a', `uid ${index}`), 0);

    const turns = stopAll(queue);

    expect(turns.slice(0, 5)).toEqual(['a 100', 'a 100', 'a 100', 'a 1000', 'a 1000']);
    expect(turns.filter((turn) => turn === 'a 100').length).toBe(3);
  });

  it('lets nobody wait longer than 30 s in the quick lane and 10 s in the slow one', () => {
    const queue = new FilterQueue();
    queue.add(job('a'), 0);
    queue.add(job('b'), 5000);
    queue.stopped(turnOf(queue), { tookMs: 100, nowMs: 6000 });

    expect(queue.expiresAtMs).toBe(16_000);
    expect(queue.expired(15_999)).toEqual([]);
    expect(queue.expired(16_000).map(({ tenant }) => tenant)).toEqual(['a']);
    expect(queue.expiresAtMs).toBe(35_000);
    expect(queue.expired(35_000).map(({ tenant }) => tenant)).toEqual(['b']);
    expect(queue.expiresAtMs).toBeUndefined();
  });

  it('lets honest filters of others past 1,000 objects of one tenant whose filters never end', () => {
    const queue = new FilterQueue();
    for (let index = 0; index < 1000; index += 1) queue.add(job('bad', `uid ${index}`), 0);
    for (let index = 0; index < 10; index += 1) queue.add(job('good'), 0);
    let nowMs = 0;
    let left = 10;
    while (left > 0) {
      const turn = turnOf(queue);
      const isGood = turn.job.tenant === 'good';
      nowMs += isGood ? 5 : turn.limitMs;
      if (isGood) queue.done(turn, 5);
      else queue.stopped(turn, { tookMs: turn.limitMs, nowMs });
      if (isGood) left -= 1;
    }

    expect(nowMs).toBeLessThanOrEqual(1000 + 5 * 10);
  });

  it('takes 64 MB and no more', () => {
    const queue = new FilterQueue();
    queue.add(job('a', '', 64 * 2 ** 20), 0);

    expect(queue.add(job('b', '', 1), 0)).toBe(TOO_MANY);
    turnOf(queue);
    expect(queue.add(job('b', '', 1), 0)).toBeUndefined();
  });
});
