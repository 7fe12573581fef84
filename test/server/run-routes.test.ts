import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { OperatorView } from '../../src/hook/operator-view.ts';
import { answerControl } from '../../src/server/control-routes.ts';
import { fakeSchedules } from '../support/fake-schedules.ts';
import { historyRig } from '../support/run-history.ts';

/** The routes of an operator that stands by, with one run that failed and one that goes on. */
function rig() {
  const runs = historyRig();
  const failed = runs.start('web', 'aaaa-1');
  runs.print(failed, 'printed');
  runs.fail(failed);
  const live = runs.start('db', 'aabb-2');
  const asked: string[] = [];
  const view: OperatorView = {
    runs: runs.history,
    status: () => ({
      time: '2026-01-05T00:00:00.000Z',
      role: 'standing-by',
      hooks: { loaded: 1, starting: [], broken: [] },
      running: [],
      queues: [],
      failing: [],
      suspended: [],
      paused: [],
    }),
    queues: () => [],
    held: () => 0,
    object: (meant, hook) => {
      asked.push(`object ${meant} ${hook ?? ''}`);
      if (meant !== 'default/web') throw new UsageError(`no run about ${meant}`);
      return { outcomes: [], children: [], runs: [] };
    },
    why: async (hook, object) => {
      asked.push(`why ${hook} ${object}`);
      return { hook, object, bindings: [], runs: [] };
    },
    seen: () => ({ operations: [], dropped: 0 }),
  };
  const ask = async (method: string, url: string) => {
    const [path = '', query] = url.split('?');
    const request = { method, path, query: new URLSearchParams(query), signal: new AbortController().signal };
    return answerControl(request, { schedules: fakeSchedules(), refusal: () => 'this replica stands by', view });
  };
  return { ...runs, ask, asked, live };
}

describe('the routes for runs, queues and objects', () => {
  it.each([
    ['/runs', ['aabb-2', 'aaaa-1']],
    ['/runs?failed', ['aaaa-1']],
    ['/runs?failed=false', ['aabb-2', 'aaaa-1']],
    ['/runs?object=default/db', ['aabb-2']],
    ['/runs?hook=other.sh', []],
    ['/runs?limit=1', ['aabb-2']],
  ])('GET %s lists %j, on a standby too', async (path, ids) => {
    const answer = await rig().ask('GET', path);

    expect(answer).toMatchObject({
      status: 200,
      body: { runs: ids.map((id) => ({ id })), more: path.includes('limit') },
    });
  });

  it('show one run by the beginning of its id', async () => {
    expect(await rig().ask('GET', '/runs/aaa')).toMatchObject({ status: 200, body: { run: { id: 'aaaa-1' } } });
  });

  it('give the lines of a run from one on, and wait for the end of a run that is followed', async () => {
    const { ask, live, print, succeed } = rig();
    expect(await ask('GET', '/runs/aaaa-1/logs')).toMatchObject({
      body: { lines: [{ line: 'printed' }], ended: true },
    });

    const line = ask('GET', '/runs/aabb/logs?follow');
    print(live, 'at last');
    expect(await line).toMatchObject({ body: { from: 0, lines: [{ line: 'at last' }], ended: false } });
    const end = ask('GET', '/runs/aabb/logs?after=1&follow');
    succeed(live);
    expect(await end).toMatchObject({ body: { lines: [], ended: true } });
  });

  it.each([
    ['GET', '/runs/zzz', 404, 'no run "zzz" is remembered'],
    ['GET', '/runs/aa', 404, '2 runs have an id that begins with "aa"'],
    ['GET', '/runs/%E0%A4%A', 400, 'not an escaped path'],
    ['GET', `/runs/${'a'.repeat(4000)}`, 404, 'is remembered'],
    ['GET', '/runs/aaaa-1/logs?after=-1', 400, 'after: expected a whole number'],
    ['GET', '/runs?limit=0', 400, 'limit: expected a whole number from 1 to 500'],
    ['GET', '/runs?limit=501', 400, 'limit: expected'],
    ['GET', '/runs?limit=x', 400, 'limit: expected'],
    ['POST', '/runs', 405, 'only GET here'],
    ['DELETE', '/runs/aaaa-1', 405, 'only GET here'],
    ['GET', '/runs/aaaa-1/nope', 404, 'nothing at'],
    ['GET', '/objects/default%2Fgone', 404, 'no run about default/gone'],
    ['GET', '/objects/%E0%A4%A', 400, 'not an escaped path'],
    ['GET', '/why?hook=a', 400, 'expected hook and object'],
    ['POST', '/status', 405, 'only GET here'],
  ])('answer %s %s with %i', async (method, path, status, error) => {
    expect(await rig().ask(method, path)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it('ask the operator for the rest', async () => {
    const { ask, asked } = rig();
    expect(await ask('GET', '/status')).toMatchObject({ body: { status: { role: 'standing-by' } } });
    expect(await ask('GET', '/queues')).toEqual({ status: 200, body: { queues: [], held: 0 } });
    expect(await ask('GET', '/objects?hook=hook.sh')).toMatchObject({
      body: { objects: [{ name: 'web' }], more: false },
    });
    await ask('GET', '/objects/default%2Fweb?hook=a%2Fb.sh');
    await ask('GET', '/why?hook=a%2Fb.sh&object=default%2Fweb');
    expect(asked).toEqual(['object default/web a/b.sh', 'why a/b.sh default/web']);
  });
});
