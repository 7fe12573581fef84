import { expect, it } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import type { Hook } from '../../../src/hook/binding.ts';
import { Jobs, type JobsOptions } from '../../../src/operator/jobs/open-jobs.ts';
import type { AskedHooks } from '../../../src/operator/webhooks/asked-hooks.ts';
import { jobHook } from '../../support/job-executor-rig.ts';
import { hookWith } from '../../support/bindings.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** Jobs of an operator whose API server does not answer. */
function jobsOf(hooks: readonly Hook[]) {
  const end = new AbortController();
  const request = async (): Promise<never> => {
    throw new KubeError('no answer', { status: 0, reason: '' });
  };
  const options = {
    settings: { image: '' },
    access: { client: { request }, cluster: { namespace: 'hooklet' } },
    env: { POD_NAME: 'hooklet-1' },
    log: recordingLogger(),
  } as unknown as JobsOptions;
  const asked = { hooks: () => hooks, async *changes() {} } as unknown as AskedHooks;
  const jobs = new Jobs(options);
  const running = jobs.run(asked, end.signal);
  const ended = async (): Promise<void> => {
    end.abort();
    await running;
  };
  return { jobs, ended };
}

it('a replica with a hook whose runs are Jobs is not ready before it knows what it runs in', async () => {
  const { jobs, ended } = jobsOf([jobHook()]);

  await expect
    .poll(() => jobs.readiness())
    .toEqual([{ name: 'jobs', isOk: false, message: expect.stringContaining('could not be read yet') }]);
  await ended();
});

it('a replica without such a hook has no check of Jobs', async () => {
  const { jobs, ended } = jobsOf([hookWith('light.sh')]);

  await ended();
  expect(jobs.readiness()).toEqual([]);
});
