import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FailingView } from '../../../src/hook/operator-view.ts';
import type { HttpAnswer } from '../../../src/server/answering.ts';
import { PageStreams, STREAM_MS, versionOf } from '../../../src/server/page/streams.ts';
import { fakeAccess, pageRig } from '../../support/page-rig.ts';

/** Streams under a clock that only their waits move. */
function rig() {
  const state = { nowMs: 0, version: 1, main: '<p>1</p>', renders: 0, isSlow: false };
  const at: (() => void)[] = [];
  const sent: string[] = [];
  const gone = new AbortController();
  const streams = new PageStreams({
    version: () => state.version,
    now: () => state.nowMs,
    wait: async (delayMs) => {
      state.nowMs += delayMs;
      at.shift()?.();
      if (state.nowMs > 10 * STREAM_MS) throw new Error('it does not end');
    },
  });
  const write = (piece: string): boolean => {
    if (state.isSlow) return false;
    sent.push(`${state.nowMs / 1000} s ${piece.split('\n')[0]}`);
    return true;
  };
  const render = async (): Promise<string | undefined> => {
    state.renders += 1;
    return state.main === '' ? undefined : state.main;
  };
  const follow = async (answer: HttpAnswer | undefined): Promise<void> =>
    answer?.follow?.({ write, signal: gone.signal });
  return { state, at, sent, gone, streams, render, follow };
}

describe('the stream of a page', () => {
  it('sends what differs from what the client has, then only changes, and a heartbeat each 15 s', async () => {
    const { state, at, sent, gone, streams, render, follow } = rig();
    at.push(() => (state.main = '<p>2</p>'));
    at.push(() => (state.version = 2));
    for (let seconds = 0; seconds < 40; seconds += 1) at.push(() => {});
    at.push(() => gone.abort());

    await follow(streams.open(render, versionOf('<p>1</p>')));
    expect(sent).toEqual([`2 s id: ${versionOf('<p>2</p>')}`, '17 s : still here', '32 s : still here']);
    expect(streams.size).toBe(0);
  });

  it('renders at most once a second, and without news each 15 s', async () => {
    const { state, at, gone, streams, render, follow } = rig();
    const busy = 30;
    for (let second = 0; second < busy; second += 1) at.push(() => (state.version += 1));
    at.push(() => gone.abort());
    await follow(streams.open(render, ''));
    expect(state.renders).toBeLessThanOrEqual(busy + 1);

    const quiet = rig();
    for (let second = 0; second < 59; second += 1) quiet.at.push(() => {});
    quiet.at.push(() => quiet.gone.abort());
    await quiet.follow(quiet.streams.open(quiet.render, ''));
    expect(quiet.state.renders).toBe(4);
  });

  it('ends after 5 min, when its user may see no more, and with the server', async () => {
    const late = rig();
    await late.follow(late.streams.open(late.render, ''));
    expect(late.state.nowMs).toBeGreaterThanOrEqual(STREAM_MS);
    expect(late.state.nowMs).toBeLessThanOrEqual(STREAM_MS + 15_000);

    const over = rig();
    over.at.push(() => {
      over.state.main = '';
      over.state.version = 2;
    });
    await over.follow(over.streams.open(over.render, versionOf('<p>1</p>')));
    expect(over.sent).toEqual(['1 s event: over']);

    const ended = rig();
    ended.streams.end();
    expect(ended.streams.open(ended.render, '')).toBeUndefined();
  });

  it('sends a client that does not read the newest page later', async () => {
    const { state, at, sent, gone, streams, render, follow } = rig();
    state.isSlow = true;
    at.push(() => {
      state.isSlow = false;
      state.main = '<p>3</p>';
      state.version = 2;
    });
    at.push(() => gone.abort());

    await follow(streams.open(render, ''));
    expect(sent).toEqual([`1 s id: ${versionOf('<p>3</p>')}`]);
  });

  it('is cut off when its client has read nothing for 60 s', async () => {
    const { state, sent, streams, render, follow } = rig();
    state.isSlow = true;

    await expect(follow(streams.open(render, ''))).rejects.toThrow('the client does not read');
    expect(state.nowMs).toBeGreaterThanOrEqual(60_000);
    expect(state.nowMs).toBeLessThanOrEqual(75_000);
    expect(sent).toEqual([]);
    expect(streams.size).toBe(0);
  });

  it('is one of at most 32', async () => {
    const { streams, render } = rig();
    const never = new AbortController();
    const hang = async (): Promise<string> => {
      await new Promise(() => {});
      return '';
    };
    for (let index = 0; index < 32; index += 1) {
      void streams.open(hang, '')?.follow?.({ write: () => true, signal: never.signal });
    }
    expect(streams.size).toBe(32);
    expect(streams.open(render, '')).toBeUndefined();
  });
});

describe('the events of the page over HTTP', () => {
  it('have the changed main part, and nobody who looks costs nothing', async () => {
    const page = await pageRig();
    expect(page.renderings()).toBe(0);
    const abort = new AbortController();
    const response = await fetch(`${page.url}/events?at=${encodeURIComponent('/?note=x')}&seen=`, {
      signal: abort.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const until = async (text: string): Promise<string> => {
      for (let all = ''; ;) {
        if (all.includes(text)) return all;
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`ended after ${all}`);
        all += value;
      }
    };
    expect(await until('Nothing runs.')).toMatch(/^retry: 2000\n\nid: [\w-]{12}\nevent: main\ndata: <ul/);
    page.start('web', 'aaaa-1');
    page.state.version += 1;
    expect(await until('aaaa-1')).toContain('event: main');
    abort.abort();

    await expect.poll(() => page.state.version).toBe(2);
    const before = page.renderings();
    page.state.version += 1;
    expect(page.renderings()).toBe(before);
  });

  it('end for a client that never reads, long before the 5 min of a stream', async () => {
    let nowMs = 0;
    const wait = async (delayMs: number): Promise<void> => {
      nowMs += delayMs;
      page.state.version += 1;
      page.state.status = { failing: longFailures(nowMs) };
      await setImmediate();
    };
    const page = await pageRig({ now: () => nowMs, wait });
    const socket = connect(Number(new URL(page.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    // Nothing is read before it is resumed.
    socket.pause();
    socket.write('GET /events?at=/ HTTP/1.1\r\nHost: localhost\r\n\r\n');

    await expect.poll(() => page.renderings(), { timeout: 30_000 }).toBeGreaterThan(5);
    await expect.poll(() => page.server.followed(), { timeout: 30_000 }).toBe(0);
    expect(nowMs).toBeLessThan(STREAM_MS);
    const closed = once(socket, 'close');
    socket.on('error', () => {}).resume();
    await closed;
  });

  it('end with the server, which waits for no view that takes long', async () => {
    const page = await pageRig();
    const stream = await fetch(`${page.url}/events?at=/`);
    const never = Promise.withResolvers<never>();
    page.state.hooksAfter = never.promise;
    const before = page.renderings();
    const pending = fetch(`${page.url}/hooks`).then(
      async (response) => response.status,
      () => 'the connection ended',
    );
    await expect.poll(() => page.renderings()).toBeGreaterThan(before);

    await page.server.close();
    expect(await stream.text()).toContain('event: main');
    expect(await pending).toBe('the connection ended');
    await expect(fetch(`${page.url}/`)).rejects.toThrow('fetch failed');
  });

  it('are of pages that exist, for those who may see them', async () => {
    const access = fakeAccess({ some: ['list runs'] });
    const page = await pageRig({ door: { type: 'tokens', access } });
    const headers = { authorization: 'Bearer some' };

    expect((await page.get('/events?at=/nothing', headers)).status).toBe(404);
    expect((await page.get('/events?at=http://%5B', headers)).status).toBe(404);
    expect((await page.get('/events?at=/hooks', headers)).text).toContain('event: over');
    expect((await page.get('/events?at=/runs%3Foutcome=nonsense', headers)).text).toContain('event: over');
  });
});

/** Failures that take half a megabyte on the page, and differ at each time. */
function longFailures(atMs: number): readonly FailingView[] {
  const long = '<'.repeat(600);
  return Array.from({ length: 100 }, (_, index) => ({
    hook: long,
    binding: `${index}`,
    objects: 1,
    object: long,
    runId: `${atMs}`,
    attempt: 1,
    at: '2026-01-05T00:00:00.000Z',
    message: long,
  }));
}
