import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { openSchedules, type ScheduleStatePlace } from '../../src/operator/schedules/schedule-state.ts';
import { Kept } from '../../src/state/kept.ts';
import { scheduleBinding } from '../support/bindings.ts';
import { sandboxCluster } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

async function problemOf(scheduleState: ScheduleStatePlace | undefined, env: Readonly<Record<string, string>> = {}) {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ type: 'status', code: 403 });
  const log = recordingLogger();
  const options = { connect: sandboxCluster(sandbox), userAgent: 'test' };
  const access = await createClusterAccess(options, { log, metrics: createMetrics('') });
  const schedules = openSchedules({ scheduleState, access, env, log }, () => []);
  const end = new AbortController();
  const ended = schedules.run(end.signal);
  await schedules.recordsOf(scheduleBinding('s', { missed: { type: 'latest' } })).ready(end.signal);
  end.abort();
  await ended;
  return { problem: schedules.problem, isAllKept: schedules.recordsOf(scheduleBinding('s')) instanceof Kept };
}

describe('the state of schedules', () => {
  it.each<[string, ScheduleStatePlace | undefined, Readonly<Record<string, string>>, string]>([
    ['the usual ConfigMap', undefined, {}, 'ConfigMap default/hooklet-schedules'],
    ['in the namespace of the Pod', undefined, { POD_NAMESPACE: 'db' }, 'ConfigMap db/hooklet-schedules'],
    ['another ConfigMap', { type: 'configMap', name: 'x', isForced: true }, {}, 'ConfigMap default/x'],
  ])('is in %s', async (_where, place, env, shown) => {
    const { problem, isAllKept } = await problemOf(place, env);

    expect(problem).toContain(`${shown}: `);
    expect(isAllKept).toBe(place !== undefined);
  });

  it('is in a file', async () => {
    const path = '/proc/self/status/no-folder';

    expect((await problemOf({ type: 'file', path, isForced: true })).problem).toContain(`file ${path}: `);
  });
});
