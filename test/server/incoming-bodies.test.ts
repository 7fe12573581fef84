import { describe, expect, it } from 'vitest';
import { IncomingBodies } from '../../src/server/incoming-bodies.ts';

/** Begins a body that notes when it is refused. */
function begin(bodies: IncomingBodies) {
  const refusals: string[] = [];
  const body = bodies.begin(({ status }) => refusals.push(String(status)));
  return { ...body, refusals };
}

describe('bodies that arrive', () => {
  it('give way to the newest where there are more than 2, the one that has been arriving longest first', () => {
    const bodies = new IncomingBodies({ maxArriving: 2 });
    const [first, second, third] = [begin(bodies), begin(bodies), begin(bodies)];
    expect([first, second, third].map(({ refusals }) => refusals)).toEqual([['408'], [], []]);
  });

  it('give way to none once they are complete', () => {
    const bodies = new IncomingBodies({ maxArriving: 1 });
    const first = begin(bodies);
    first.complete();
    expect([begin(bodies).refusals, first.refusals]).toEqual([[], []]);
  });

  it('have 10 bytes together, those of requests that have not ended among them', () => {
    const bodies = new IncomingBodies({ maxTotalBytes: 10 });
    const done = begin(bodies);
    done.add(6);
    done.complete();
    const [slow, next] = [begin(bodies), begin(bodies)];
    slow.add(3);
    expect(slow.refusals).toEqual([]);
    next.add(2);
    expect([slow.refusals, next.refusals]).toEqual([['408'], []]);
    next.add(3);
    expect(next.refusals).toEqual(['408']);
    done.end();
    const last = begin(bodies);
    last.add(10);
    expect(last.refusals).toEqual([]);
  });

  it('are counted no more after their end, however often that comes', () => {
    const bodies = new IncomingBodies({ maxTotalBytes: 10 });
    const body = begin(bodies);
    body.add(10);
    body.end();
    body.end();
    const other = begin(bodies);
    other.add(10);
    expect(other.refusals).toEqual([]);
  });
});
