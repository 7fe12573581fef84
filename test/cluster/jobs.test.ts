import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { V1Job, V1Namespace } from '@kubernetes/client-node';
import { forbiddenRequests, serviceAccountUser } from './audit.ts';
import { asked, jobHook, UNTIL_TOLD } from './jobs-hooks.ts';
import { askPort, tokenFor } from './jobs-port.ts';
import { startJobs, type JobsRig } from './jobs-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

const plane = sharedControlPlane();
const FOREIGN = { agent: 'sidecar', image: 'foreign' };

const HOOKS = {
  'own.sh': { bindings: asked('own') },
  'foreign.sh': { bindings: asked('foreign'), job: { ...FOREIGN, args: ['hook'] } },
  'odd.sh': { bindings: asked('odd'), job: { ...FOREIGN, command: ['odd'] }, settings: { retry: { max: 1 } } },
  'absent.sh': { bindings: asked('absent'), job: { image: 'absent' } },
  'long.sh': { bindings: asked('long'), work: UNTIL_TOLD },
};

let rig: JobsRig;
beforeAll(async () => {
  rig = await startJobs({
    plane,
    hooks: Object.fromEntries(Object.entries(HOOKS).map(([name, hook]) => [name, jobHook(hook)])),
    foreign: {
      hook: jobHook({ bindings: {} }),
      odd: '#!/bin/sh\necho "it is odd"; exit 3\n',
    },
    env: { HOOKLET_JOBS_PER_SECOND: '0' },
  });
}, 180_000);
afterAll(async () => rig[Symbol.asyncDispose](), 60_000);

describe('a hook whose runs are Jobs', () => {
  it('runs in a Pod of its own, and the operator applies what it asks for and deletes the Job', async () => {
    await rig.ask('own', 'one');

    expect((await rig.done('one'))['host']).toMatch(/^hooklet-run-/);
    await eventually(async () => expect(await rig.jobs()).toEqual([]), 30_000);
    expect(await rig.log()).toContain('it works on one');
  });

  it('may be the program of a foreign image, whose patches are applied and whose lines are in the log', async () => {
    await rig.ask('foreign', 'two');

    expect((await rig.done('two'))['host']).toMatch(/^hooklet-run-/);
    await eventually(async () => expect(await rig.jobs()).toEqual([]), 30_000);
    expect(await rig.log()).toContain('it works on two');
  });

  it('fails with the exit code 3 of a foreign image, whose lines are in the log', async () => {
    await rig.ask('odd', 'three');

    const failed = await eventually(async () => {
      const found = (await rig.log()).split('\n').find((line) => line.includes('exit code 3'));
      expect(found).toBeDefined();
      return found;
    }, 60_000);
    expect(failed).toContain('odd.sh');
    expect(await rig.log()).toContain('"line":"it is odd"');
    expect(await rig.named('did-three-')).toEqual([]);
  });
});

describe('the port of Jobs', () => {
  it('gives a run that nobody has claimed to no other Pod', async () => {
    await rig.ask('absent', 'zero');
    const [operator] = await rig.pods('operator');
    const token = await tokenFor(rig, { pod: operator?.metadata?.name ?? '', account: 'hooklet' });
    const job = await eventually(async () => jobOf('absent.sh'), 30_000);

    const claim = await askPort(rig, job, { method: 'POST', what: 'claim', token });

    expect(claim).toEqual({ status: 403, text: expect.stringContaining('is none of the Job') });
    expect(job.metadata?.annotations).toMatchObject({ 'hooklet.dev/epoch': '0', 'hooklet.dev/claimed-by': '' });
  });

  it('answers nobody but the Pod of the Job, and that one only with its last epoch', async () => {
    await rig.ask('long', 'four');
    const { job, pod } = await eventually(claimed, 60_000);
    const [operator] = await rig.pods('operator');
    const own = await tokenFor(rig, { pod });
    const tokens = {
      none: undefined,
      'not for hooklet': await tokenFor(rig, { pod, audience: 'https://kubernetes.default.svc' }),
      'of the operator': await tokenFor(rig, { pod: operator?.metadata?.name ?? '', account: 'hooklet' }),
    };
    const answers = Object.entries(tokens).map(async ([whose, token]) => {
      const claim = await askPort(rig, job, { method: 'POST', what: 'claim', ...(token !== undefined && { token }) });
      const result = { method: 'PUT', what: 'result', epoch: 1, body: STOLEN } as const;
      const sent = await askPort(rig, job, { ...result, ...(token !== undefined && { token }) });
      return [whose, claim.status, sent.status];
    });

    expect(await Promise.all(answers)).toEqual([
      ['none', 401, 401],
      ['not for hooklet', 401, 401],
      ['of the operator', 409, 409],
    ]);

    // The claim of who has the token of the Pod counts, until the Pod hears of it, and claims anew.
    const stolen = await askPort(rig, job, { method: 'POST', what: 'claim', token: own });
    expect(stolen).toMatchObject({ status: 200, text: expect.stringContaining('"epoch":2') });
    await eventually(async () => expect((await claimed()).epoch).toBe('3'), 60_000);
    const late = await askPort(rig, job, { method: 'PUT', what: 'result', token: own, epoch: 2, body: STOLEN });
    expect(late).toEqual({ status: 409, text: 'epoch 2 is over, 3 counts\n' });

    rig.tell('four');
    expect((await rig.done('four'))['host']).toBe(pod);
  });
});

const STOLEN = '{"type":"exited","cost":{"durationMs":1},"isLater":false,"files":[0,0,0,0,0]}\n';

interface Claimed {
  readonly job: V1Job;
  readonly pod: string;
  readonly epoch: string;
}

async function jobOf(hook: string): Promise<V1Job> {
  const [found] = await rig.jobsOf(hook);
  if (found === undefined) throw new Error(`no Job is one of ${hook}`);
  return found;
}

/** The Job of `long.sh`, whose Pod has claimed its run. */
async function claimed(): Promise<Claimed> {
  const job = await jobOf('long.sh');
  const { 'hooklet.dev/epoch': epoch = '0' } = job.metadata?.annotations ?? {};
  const pod = (await rig.pods('jobs')).find(
    ({ metadata }) => metadata?.ownerReferences?.[0]?.uid === job.metadata?.uid,
  );
  if (pod === undefined || epoch === '0') throw new Error('no Pod of long.sh has claimed its run');
  return { job, pod: pod.metadata?.name ?? '', epoch };
}

describe('an operator with Jobs', () => {
  it('works under the Pod security standard restricted, and nothing that it asks for is forbidden', async () => {
    const { metadata } = await rig.get<V1Namespace>('namespace', rig.namespace);

    expect(metadata?.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    expect(forbiddenRequests(await rig.requests(), serviceAccountUser(rig.namespace, 'hooklet'))).toEqual([]);
  });

  it('takes its Jobs with it when its Deployment is deleted', async () => {
    await rig.ask('long', 'five');
    const { job } = await eventually(claimed, 60_000);
    expect(job.metadata?.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'hooklet' }]);

    await rig.kubectl('delete', 'deployment', 'hooklet');

    await eventually(async () => expect([...(await rig.jobs()), ...(await rig.pods('jobs'))]).toEqual([]), 60_000);
  });
});
