import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import type { TestWorld } from '../../src/testing/public.ts';

const job = { apiVersion: 'batch/v1', kind: 'Job' };

/**
 * Plays a tick of a CronJob as its controller does: no Job where one is not over, as `concurrencyPolicy` is Forbid, else
 * one from its template, with a Pod that does not begin. Returns how many Jobs are not over.
 */
export async function playTick(world: TestWorld, name: string): Promise<number> {
  const cronJob = await world.get({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name } });
  const policy = textAt(cronJob, 'spec', 'concurrencyPolicy');
  if (policy !== 'Forbid') throw new Error(`concurrencyPolicy of ${name} is ${policy}, expected Forbid`);
  const { length } = await openJobs(world);
  if (length > 0) return length;
  const template = objectAt(cronJob, 'spec', 'jobTemplate');
  const own = `${name}-${Math.floor(world.nowMs / 60_000)}`;
  const labels = { ...objectAt(template, 'metadata', 'labels') };
  await world.apply({ ...job, metadata: { name: own, labels }, spec: objectAt(template, 'spec') });
  await world.patch({ ...job, metadata: { name: own }, status: { active: 1 } }, 'status');
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `${own}-a` } };
  const ofJob = { ...labels, 'batch.kubernetes.io/job-name': own };
  const spec = { containers: [{ name: 'engine', image: 'backup-operator' }] };
  await world.apply({ ...pod, metadata: { ...pod.metadata, labels: ofJob }, spec });
  const message = '0/3 nodes are available: persistentvolumeclaim "data" not found';
  const held = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  await world.patch({ ...pod, status: { phase: 'Pending', conditions: [held] } }, 'status');
  return 1;
}

/** Plays the Job controller: a Job whose deadline is over loses its Pod and fails. Returns how many did. */
export async function playDeadlines(world: TestWorld): Promise<number> {
  const late = (await openJobs(world)).filter((one) => objectAt(one, 'spec')['activeDeadlineSeconds'] === 1);
  for (const { metadata } of late) {
    const name = textAt({ metadata: metadata ?? null }, 'metadata', 'name');
    await world.delete({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `${name}-a` } });
    const lastTransitionTime = new Date(world.nowMs).toISOString();
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'DeadlineExceeded',
      message: 'too late',
      lastTransitionTime,
    };
    await world.patch({ ...job, metadata: { name }, status: { active: 0, failed: 1, conditions: [failed] } }, 'status');
  }
  return late.length;
}

/** The Jobs that are not over. */
export async function openJobs(world: TestWorld): Promise<readonly JsonObject[]> {
  const all = await world.list(job);
  return all.filter((one) => !objectsAt(one, 'status', 'conditions').some(({ status }) => status === 'True'));
}
