import { describe, expect, it } from 'vitest';
import { KubeError, UsageError } from '../../src/errors.ts';
import type { DeadControl, DeadLetterStatus } from '../../src/hook/dead-control.ts';
import type { PauseControl, PauseTarget } from '../../src/hook/pause-control.ts';
import { answerControl } from '../../src/server/control-routes.ts';
import { fakeSchedules } from '../support/fake-schedules.ts';

const letter: DeadLetterStatus = {
  id: 'aabbccdd',
  hook: 'db/a.sh',
  binding: 'nightly',
  trigger: { type: 'schedule', runId: 'r1', scheduledAtMs: 0 },
  why: 'exhausted',
  message: 'bad',
  attempts: 3,
  firstAtMs: 0,
  lastAtMs: 1000,
  runId: 'r',
  hookIs: 'same',
};

function rig(refusal?: string) {
  const asked: unknown[] = [];
  const dead: DeadControl = {
    list: async () => [letter],
    retry: async (filter) => {
      asked.push(['retry', filter]);
      return { retried: 1, hookGone: 0, objectGone: 0 };
    },
    drop: async (filter) => {
      asked.push(['drop', filter]);
      if (filter.hook === 'broken') throw new KubeError('no answer', { status: 500, reason: '' });
      return 2;
    },
  };
  const pauses: PauseControl = {
    list: async () => [{ target: { type: 'queue', queue: 'main' }, by: 'hand', sinceMs: 0, held: 3 }],
    pause: async (target: PauseTarget) => {
      asked.push(['pause', target]);
      return false;
    },
    resume: async (target: PauseTarget) => {
      if (target.type === 'hook') throw new UsageError('hook a is not paused by hand');
      asked.push(['resume', target]);
      return 4;
    },
  };
  const options = { schedules: fakeSchedules(), dead, pauses, refusal: () => refusal };
  const ask = async (method: string, url: string) => {
    const [path = '', query = ''] = url.split('?', 2);
    const request = { method, path, query: new URLSearchParams(query), signal: new AbortController().signal };
    return answerControl(request, options);
  };
  return { ask, asked };
}

describe('the routes for dead letters', () => {
  it('list them with times that a person can read', async () => {
    expect(await rig().ask('GET', '/dead')).toEqual({
      status: 200,
      body: {
        letters: [
          {
            id: 'aabbccdd',
            hook: 'db/a.sh',
            hookIs: 'same',
            binding: 'nightly',
            trigger: { type: 'schedule', runId: 'r1', scheduledAt: '1970-01-01T00:00:00.000Z' },
            why: 'exhausted',
            message: 'bad',
            attempts: 3,
            first: '1970-01-01T00:00:00.000Z',
            last: '1970-01-01T00:00:01.000Z',
            runId: 'r',
          },
        ],
      },
    });
  });

  it.each<[string, object]>([
    ['id=aabbccdd', { id: 'aabbccdd' }],
    ['hook=db%2Fa.sh&object=default%2Fx', { hook: 'db/a.sh', object: 'default/x' }],
    ['reason=exhausted', { reason: 'exhausted' }],
    ['all=true', {}],
  ])('retry and drop those of %s', async (query, filter) => {
    const { ask, asked } = rig();

    expect(await ask('POST', `/dead/retry?${query}`)).toEqual({
      status: 200,
      body: { retried: 1, hookGone: 0, objectGone: 0 },
    });
    expect(await ask('POST', `/dead/drop?${query}`)).toEqual({ status: 200, body: { dropped: 2 } });
    expect(asked).toEqual([
      ['retry', filter],
      ['drop', filter],
    ]);
  });

  it.each([
    ['POST', '/dead/retry', 404, 'say which letters'],
    ['POST', '/dead/drop?hook=', 404, 'say which letters'],
    ['POST', '/dead/retry?id=nope', 404, 'no dead letter "nope"'],
    ['POST', '/dead/drop?hook=broken', 503, 'no answer'],
    ['GET', '/dead/drop', 405, 'only POST here'],
    ['POST', '/dead', 405, 'only GET here'],
    ['POST', '/dead/explode', 404, 'nothing at /dead/explode'],
    ['POST', '/pauses/pause', 404, 'say what'],
    ['POST', '/pauses/pause?hook=a&queue=b', 404, 'say what'],
    ['POST', '/pauses/resume?hook=a', 404, 'not paused by hand'],
    ['DELETE', '/pauses', 405, 'only GET here'],
  ])('answer %s %s with %i: %s', async (method, url, status, error) => {
    expect(await rig().ask(method, url)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });
});

describe('the routes for pauses', () => {
  it('list them', async () => {
    expect((await rig().ask('GET', '/pauses')).body).toEqual({
      pauses: [{ type: 'queue', queue: 'main', by: 'hand', since: '1970-01-01T00:00:00.000Z', held: 3 }],
    });
  });

  it.each<[string, PauseTarget]>([
    ['hook=db%2Fa.sh', { type: 'hook', hook: 'db/a.sh' }],
    ['queue=main', { type: 'queue', queue: 'main' }],
    ['name=x', { type: 'object', namespace: '', name: 'x' }],
    [
      'kind=Pod&namespace=default&name=x&hook=a.sh',
      { type: 'object', kind: 'Pod', namespace: 'default', name: 'x', hook: 'a.sh' },
    ],
  ])('pause what %s names', async (query, target) => {
    const { ask, asked } = rig();

    expect(await ask('POST', `/pauses/pause?${query}`)).toEqual({ status: 200, body: { kept: false } });
    expect(asked).toEqual([['pause', target]]);
  });

  it('say how much they released', async () => {
    expect(await rig().ask('POST', '/pauses/resume?queue=main')).toEqual({ status: 200, body: { released: 4 } });
  });

  it('and those for dead letters change nothing on a replica that does not lead', async () => {
    const { ask, asked } = rig('this replica stands by');

    for (const url of ['/dead/retry?all=true', '/dead/drop?all=true', '/pauses/pause?hook=a', '/pauses/resume?queue=q'])
      expect(await ask('POST', url)).toEqual({ status: 409, body: { error: 'this replica stands by' } });
    expect(await ask('GET', '/dead')).toMatchObject({ status: 200, body: { note: 'this replica stands by' } });
    expect(await ask('GET', '/pauses')).toMatchObject({ status: 200, body: { note: 'this replica stands by' } });
    expect(asked).toEqual([]);
  });
});
