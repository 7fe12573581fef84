import { describe, expect, it } from 'vitest';
import type { RecordingControl } from '../../src/hook/run-control.ts';
import { runRoute } from '../../src/server/run-routes.ts';
import { historyRig } from '../support/run-history.ts';

const why = 'it was dropped for newer ones, see --record-bytes';

function rig(recordings?: RecordingControl) {
  const runs = historyRig();
  runs.succeed(runs.start('web', 'aaaa-1'));
  runs.succeed(runs.start('web', 'bbbb-1'));
  const route = runRoute(runs.history, recordings);
  return async (path: string) =>
    route({ method: 'GET', path, query: new URLSearchParams(), signal: new AbortController().signal });
}

/** There are recordings of a run that is remembered, and of one that is not. */
const recordings: RecordingControl = {
  state: (id) => (['aaaa-1', 'gone-1'].includes(id) ? { type: 'kept', bytes: 3 } : { type: 'none', why }),
  read: async (id) => (['aaaa-1', 'gone-1'].includes(id) ? Buffer.from(id) : undefined),
};

describe('GET /runs/ID/recording', () => {
  it('answers with the recording, by the beginning of an id or by the whole id of a run that is forgotten', async () => {
    const ask = rig(recordings);

    for (const [path, id] of [
      ['/runs/aa/recording', 'aaaa-1'],
      ['/runs/gone-1/recording', 'gone-1'],
    ] as const) {
      const body = { id, recording: Buffer.from(id).toString('base64') };
      expect(await ask(path)).toEqual({ status: 200, body });
    }
    expect(await ask('/runs/gone/recording')).toMatchObject({ status: 404 });
  });

  it('says why there is none', async () => {
    const error = (reason: string) => `there is no recording of run bbbb-1: ${reason}`;

    expect(await rig(recordings)('/runs/bbbb/recording')).toEqual({ status: 404, body: { error: error(why) } });
    const off = error('the operator was started without --record');
    expect(await rig()('/runs/bbbb/recording')).toEqual({ status: 404, body: { error: off } });
  });

  it('says of a run whether there is one, where runs are recorded', async () => {
    expect(await rig(recordings)('/runs/aa')).toMatchObject({ body: { recording: { type: 'kept', bytes: 3 } } });
    expect(await rig(recordings)('/runs/bb')).toMatchObject({ body: { recording: { type: 'none', why } } });
    expect(Object.keys((await rig()('/runs/aa'))?.body ?? {})).toEqual(['run']);
  });
});
