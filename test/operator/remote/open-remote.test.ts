import { expect, it } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import type { Hook } from '../../../src/hook/binding.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { createWatches } from '../../../src/kube/watch/shared-watches.ts';
import { Changes } from '../../../src/lib/changes.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { RemoteRuns, type RemoteOptions } from '../../../src/operator/remote/open-remote.ts';
import type { AskedHooks } from '../../../src/operator/webhooks/asked-hooks.ts';
import { jobHook } from '../../support/job-executor-rig.ts';
import { hookWith } from '../../support/bindings.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** Runs in other Pods of an operator whose API server does not answer. */
function remoteOf(...hooks: readonly Hook[]) {
  const end = new AbortController();
  const request = async (): Promise<never> => {
    throw new KubeError('no answer', { status: 0, reason: '' });
  };
  const client = { request } as unknown as KubeClient;
  const [metrics, log] = [createMetrics(''), recordingLogger()];
  const watches = createWatches({ client, kinds: { invalidate: () => {} }, log, metrics, random: () => 0 });
  const options = {
    settings: { image: '', urls: [], serviceName: 'hooklet-jobs', workers: { accounts: [], silenceMs: 15_000 } },
    hooksDir: import.meta.dirname,
    access: { client, watches, cluster: { namespace: 'hooklet' } },
    env: { POD_NAME: 'hooklet-1' },
    metrics,
    events: { record: () => {} },
    log,
  } as unknown as RemoteOptions;
  const known = [...hooks];
  const loads = new Changes();
  const asked = { hooks: () => known, changes: (signal: AbortSignal) => loads.follow(signal) } as unknown as AskedHooks;
  const remote = new RemoteRuns(options);
  const running = remote.run(asked, end.signal);
  const ended = async (): Promise<void> => {
    end.abort();
    await running;
    await watches.ended();
  };
  const load = (hook: Hook): void => {
    known.push(hook);
    loads.notify();
  };
  return { remote, ended, load };
}

it('a replica with a hook whose runs are Jobs is not ready before it knows what it runs in', async () => {
  const { remote, ended } = remoteOf(jobHook());

  await expect
    .poll(() => remote.readiness())
    .toEqual([{ name: 'jobs', isOk: false, message: expect.stringContaining('could not be read yet') }]);
  await ended();
});

it('a replica with a hook for workers, also one that is loaded later, is not ready before its port has a certificate', async () => {
  const { remote, ended, load } = remoteOf(hookWith('light.sh'));
  expect(remote.readiness()).toEqual([]);

  load(workersHook());

  await expect.poll(() => remote.readiness()).toMatchObject([{ name: 'workers', isOk: false }]);
  await ended();
});

it('a replica with hooks of both kinds has a check of each', async () => {
  const { remote, ended } = remoteOf(jobHook(), workersHook());

  await expect
    .poll(() => remote.readiness().map(({ name, isOk }) => [name, isOk]))
    .toEqual([
      ['jobs', false],
      ['workers', false],
    ]);
  await ended();
});

it('a run that no worker has when the operator ends has failed by its environment, and waits for nothing', async () => {
  const { remote, ended } = remoteOf();
  const end = new AbortController();
  const { executor, room } = remote.partsFor({ execute: async () => Promise.reject(new Error('it ran here')) });
  const request = { hook: workersHook(), runId: 'a', contexts: [], onOutput: () => {} };
  const [running, waiting] = [executor?.execute(request, end.signal), room?.(workersHook(), end.signal)];

  end.abort();

  expect(await running).toMatchObject({ type: 'failed', by: 'environment' });
  expect(await waiting).toBeUndefined();
  await ended();
});

it('a replica whose hooks all run in it has no check of Jobs and workers', async () => {
  const { remote, ended } = remoteOf(hookWith('light.sh'));

  await ended();
  expect(remote.readiness()).toEqual([]);
});

function workersHook(): Hook {
  return { ...hookWith('work.sh'), settings: { executor: { type: 'workers', pool: 'default' } } };
}
