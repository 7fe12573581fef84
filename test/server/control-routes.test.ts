import { describe, expect, it } from 'vitest';
import { KubeError } from '../../src/errors.ts';
import { answerControl } from '../../src/server/control-routes.ts';
import { fakeSchedules, scheduleStatus } from '../support/fake-schedules.ts';

const NIGHTLY = '/schedules/db%2Fbackup.sh/nightly';

function requestOf(method: string, path: string) {
  return { method, path, query: new URLSearchParams(), signal: new AbortController().signal };
}

function rig(refusal?: string) {
  const schedules = fakeSchedules(scheduleStatus());
  const ask = async (method: string, path: string) =>
    answerControl(requestOf(method, path), { schedules, refusal: () => refusal });
  return { schedules, ask };
}

describe('the routes of the control socket', () => {
  it('list the schedules', async () => {
    const { ask } = rig();

    expect(await ask('GET', '/schedules')).toEqual({
      status: 200,
      body: { schedules: [expect.objectContaining({ hook: 'db/backup.sh', binding: 'nightly', suspended: false })] },
    });
  });

  it('trigger a run and give its id, for hooks with slashes in their names too', async () => {
    const { ask, schedules } = rig();

    expect(await ask('POST', `${NIGHTLY}/trigger`)).toEqual({ status: 202, body: { runId: 'run-1' } });
    expect(schedules.asked).toEqual(['trigger db/backup.sh nightly']);
  });

  it('suspend and resume, and answer what became of it', async () => {
    const { ask } = rig();

    expect(await ask('POST', `${NIGHTLY}/suspend`)).toMatchObject({
      status: 200,
      body: { schedule: { suspended: true } },
    });
    expect(await ask('POST', `${NIGHTLY}/resume`)).toMatchObject({
      status: 200,
      body: { schedule: { suspended: false } },
    });
  });

  it.each([
    ['GET', '/nope', 404, 'nothing at /nope'],
    ['POST', '/schedules/a/b/explode', 404, 'nothing at'],
    ['POST', '/schedules/a/b/c/trigger', 404, 'nothing at'],
    ['POST', '/schedules', 405, 'only GET here'],
    ['GET', `${NIGHTLY}/trigger`, 405, 'only POST here'],
    ['POST', '/schedules/%E0%A4%A/b/trigger', 400, 'not an escaped path'],
    ['POST', '/schedules/backup.sh/nightly/trigger', 404, 'did you mean db/backup.sh?'],
  ])('answer %s %s with %i', async (method, path, status, error) => {
    const { ask } = rig();

    expect(await ask(method, path)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it('change nothing on a replica that stands by, and say who leads', async () => {
    const { ask, schedules } = rig('this replica stands by, pod-1 leads');

    expect(await ask('GET', '/schedules')).toMatchObject({
      status: 200,
      body: { note: 'this replica stands by, pod-1 leads' },
    });
    for (const action of ['trigger', 'suspend', 'resume']) {
      expect(await ask('POST', `${NIGHTLY}/${action}`)).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('pod-1 leads') },
      });
    }
    expect(schedules.asked).toEqual([]);
  });

  it('say what keeps the state from being written, and let a bug be one', async () => {
    const { schedules } = rig();
    const failing = (error: Error) => ({ ...schedules, suspend: async () => Promise.reject(error) });
    const ask = async (error: Error) =>
      answerControl(requestOf('POST', `${NIGHTLY}/suspend`), { schedules: failing(error), refusal: () => undefined });

    expect(await ask(new KubeError('PUT: 503', { status: 503, reason: '' }))).toEqual({
      status: 503,
      body: { error: 'PUT: 503' },
    });
    await expect(ask(new TypeError('bug'))).rejects.toThrow('bug');
  });
});
