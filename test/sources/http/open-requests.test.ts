import { describe, expect, it } from 'vitest';
import type { Hook } from '../../../src/hook/binding.ts';
import type { HttpTrigger } from '../../../src/hook/trigger.ts';
import { OpenRequests } from '../../../src/sources/http/open-requests.ts';

const hook = (name: string): Hook => ({ name, path: `/${name}`, type: 'process', bindings: [], settings: {} });
const [a, b] = [hook('a.sh'), hook('b.sh')];
const never = new AbortController().signal;

function trigger(runId: string, bytes = 1): HttpTrigger {
  const binding = {
    type: 'http' as const,
    name: 'x',
    authentication: { type: 'token' as const },
    maxBodyBytes: 1,
    rateLimit: { perMinute: 1, burst: 1 },
    allowFailure: false,
    queue: 'main',
    includeSnapshotsFrom: [],
  };
  return { type: 'http', binding, runId, receivedAtMs: 0, caller: 'ann', request: 'x'.repeat(bytes) };
}

describe('open requests', () => {
  it('have room for 1000', () => {
    const open = new OpenRequests();
    for (let n = 0; n < 1000; n += 1) {
      expect(open.hasRoomFor(1)).toBe(true);
      open.add(a, trigger(String(n)));
    }
    expect(open.hasRoomFor(1)).toBe(false);
    open.end('7', { outcome: 'succeeded' });
    expect(open.hasRoomFor(1)).toBe(true);
  });

  it('have room for 64 MiB', () => {
    const open = new OpenRequests();
    open.add(a, trigger('1', 60 * 1024 * 1024));
    expect(open.hasRoomFor(4 * 1024 * 1024)).toBe(true);
    expect(open.hasRoomFor(4 * 1024 * 1024 + 1)).toBe(false);
  });

  it('of a hook that is gone end, but for those that run', async () => {
    const open = new OpenRequests();
    for (const [of, runId] of [
      [a, 'waits'],
      [a, 'runs'],
      [b, 'other'],
    ] as const) {
      open.add(of, trigger(runId));
    }
    open.begin('runs');
    const waits = open.ended('waits', 60_000, never);

    open.dropGone((one) => one === a);

    expect(await waits).toMatchObject({ outcome: 'dropped' });
    expect(await open.ended('runs', 0, never)).toBeUndefined();
    expect(await open.ended('other', 0, never)).toBeUndefined();
  });

  it('that are to be run again when all stops end, and then it is finished', async () => {
    const open = new OpenRequests();
    open.add(a, trigger('runs'));
    open.begin('runs');
    const end = open.ended('runs', 60_000, never);
    let isFinished = false;
    const finished = open.finished.then(() => (isFinished = true));

    open.stop();
    expect(isFinished).toBe(false);
    open.again('runs', 'no');

    expect(await end).toMatchObject({ outcome: 'dropped' });
    expect(await finished).toBe(true);
  });
});
