import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbiddenRequests, serviceAccountUser } from './audit.ts';
import { asked, jobHook, UNTIL_TOLD, type JobHook } from './jobs-hooks.ts';
import { startJobs, type JobsRig } from './jobs-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

const plane = sharedControlPlane();
/** One failure that counts is the last. */
const ONCE = { retry: { max: 1 } };
const NIGHTLY = { schedule: [{ name: 'nightly', crontab: '0 3 1 1 *', concurrency: 'replace', queue: 'nightly' }] };
/** Writes a patch of 30 ConfigMaps with 1 MB each, and so many MB that nobody reads. */
const large = (unread: number): string => `
  for i in {1..30}; do
    create "large-$name-$i" "$namespace" | jq -c --rawfile text <(head -c 1000000 /dev/zero | tr '\\0' x) '.object.data.text = $text'
  done >> "$KUBERNETES_PATCH_PATH"
  head -c ${unread}000000 /dev/zero > "$CONVERSION_RESPONSE_PATH"`;

const HOOKS: Readonly<Record<string, JobHook>> = {
  'first.sh': {
    bindings: asked('first'),
    settings: { retry: { max: 2, backoff: { first: '1s' } } },
    work: 'if mkdir "/shared/$name"; then echo "it fails at first"; exit 1; fi',
  },
  'absent.sh': { bindings: asked('absent'), job: { image: 'absent', startTimeout: '4s' }, settings: ONCE },
  'greedy.sh': { bindings: asked('greedy'), settings: ONCE, work: UNTIL_TOLD },
  'evicted.sh': { bindings: asked('evicted'), settings: ONCE, work: UNTIL_TOLD },
  'foreign.sh': {
    bindings: asked('foreign'),
    job: { agent: 'sidecar', image: 'foreign', command: ['hook'] },
    settings: ONCE,
  },
  'large.sh': { bindings: asked('large'), settings: ONCE, work: large(20) },
  'larger.sh': { bindings: asked('larger'), settings: ONCE, work: large(40) },
  'nightly.sh': { bindings: NIGHTLY, settings: ONCE, before: 'echo "it works on a tick"; sleep 300' },
};

let rig: JobsRig;
beforeAll(async () => {
  const texts = Object.entries(HOOKS).map(([name, hook]) => [name, jobHook(hook)]);
  rig = await startJobs({
    plane,
    hooks: Object.fromEntries(texts),
    foreign: { hook: jobHook({ bindings: {}, before: "trap 'exit 143' TERM", work: UNTIL_TOLD }) },
    env: { HOOKLET_JOBS_PER_SECOND: '0' },
  });
}, 180_000);
afterAll(async () => rig[Symbol.asyncDispose](), 60_000);

/** The Pod of a Job of a hook that works on an object. */
async function working(hook: string, but?: V1Pod): Promise<V1Pod> {
  return eventually(async () => {
    const jobs = await rig.jobsOf(hook);
    const isOf = (job: V1Job, pod: V1Pod): boolean => pod.metadata?.ownerReferences?.[0]?.uid === job.metadata?.uid;
    const pods = (await rig.pods('jobs')).filter((pod) => jobs.some((job) => isOf(job, pod)));
    const found = pods.find(
      ({ metadata, status }) => metadata?.uid !== but?.metadata?.uid && status?.phase === 'Running',
    );
    const name = found?.metadata?.name ?? '';
    if (found === undefined || !(await rig.kubelet.logs({ namespace: rig.namespace, name })).includes('it works on'))
      throw new Error(`no Pod works for ${hook}\n${await rig.log()}`);
    return found;
  }, 60_000);
}

function nameOf({ metadata }: V1Pod | V1Job): string {
  return metadata?.name ?? '';
}

/** The line of the log that says why a run of a hook failed. */
async function failureOf(hook: string): Promise<string> {
  return eventually(async () => {
    const lines = (await rig.log()).split('\n').filter((line) => line.includes('"level":"error"'));
    const found = lines.find((line) => line.includes(hook));
    if (found === undefined) throw new Error(`no run of ${hook} has failed`);
    return found;
  }, 60_000);
}

/** What a command in the Pod of the operator prints. */
async function hooklet(...args: readonly string[]): Promise<string> {
  const [operator] = await rig.pods('operator');
  const pod = { namespace: rig.namespace, name: operator?.metadata?.name ?? '' };
  return (await rig.kubelet.exec(pod, ['hooklet', ...args])).stdout;
}

/** The hooks that were given up for an object. */
async function givenUp(): Promise<string> {
  return hooklet('dead', 'list');
}

describe('a run that fails', () => {
  it('is tried again as another Job; its own is kept with its log, and that of the success is deleted', async () => {
    await rig.ask('first', 'one');

    await rig.done('one');

    await eventually(async () => expect(await rig.jobsOf('first.sh')).toHaveLength(1), 30_000);
    const [job] = await rig.jobsOf('first.sh');
    expect(job?.metadata?.annotations).toMatchObject({ 'hooklet.dev/concluded': 'failed' });
    expect(await rig.kubectl('logs', `job/${job?.metadata?.name}`)).toContain('it fails at first');
  });

  it('for want of its image says so after startTimeout, and no attempt is counted', async () => {
    await rig.ask('absent', 'two');

    expect(await failureOf('absent.sh')).toMatch(/did not ask for its run within 4s .*ErrImagePull/);
    const [first] = await rig.jobsOf('absent.sh');
    await eventually(async () => {
      const now = await rig.jobsOf('absent.sh');
      expect(now).toHaveLength(1);
      expect(now[0]?.metadata?.uid).not.toBe(first?.metadata?.uid);
    }, 30_000);
    expect(await givenUp()).not.toContain('absent.sh');
  });

  it('for want of memory says so, and an attempt is counted', async () => {
    await rig.ask('greedy', 'three');
    const pod = await working('greedy.sh');

    await rig.kubelet.kill({ namespace: rig.namespace, name: nameOf(pod) }, { reason: 'OOMKilled' });

    expect(await failureOf('greedy.sh')).toContain('(OOMKilled)');
    await eventually(async () => expect(await givenUp()).toContain('greedy.sh'), 30_000);
  });
});

describe('a Pod', () => {
  it('that is deleted, evicted, or gone at once, is followed by another Job, and no attempt is counted', async () => {
    await rig.ask('evicted', 'four');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction' };
    const first = await working('evicted.sh');
    await rig.kubectl('delete', 'pod', nameOf(first), '--wait=false');
    const second = await working('evicted.sh', first);
    await rig.post(`pods/${nameOf(second)}/eviction`, { ...eviction, metadata: { name: nameOf(second) } });
    const third = await working('evicted.sh', second);
    await rig.kubectl('delete', 'pod', nameOf(third), '--grace-period=0', '--force');
    const fourth = await working('evicted.sh', third);
    rig.tell('four');

    expect((await rig.done('four'))['host']).toBe(nameOf(fourth));
    expect(await givenUp()).not.toContain('evicted.sh');
  });

  it('with a foreign image is followed by another as well', async () => {
    await rig.ask('foreign', 'seven');
    const first = await working('foreign.sh');
    await rig.kubectl('delete', 'pod', nameOf(first), '--wait=false');
    const second = await working('foreign.sh', first);
    rig.tell('seven');

    expect((await rig.done('seven'))['host']).toBe(nameOf(second));
    expect(await givenUp()).not.toContain('foreign.sh');
  });
});

describe('a result', () => {
  it('of 50 MB is applied', async () => {
    await rig.ask('large', 'five');

    await rig.done('five');

    await eventually(async () => expect(await rig.named('large-five-')).toHaveLength(30), 60_000);
  });

  it('of 70 MB is refused with the limit of 64 MiB, and nothing of it is applied', async () => {
    await rig.ask('larger', 'six');

    expect(await failureOf('larger.sh')).toMatch(/have 7\d{7} bytes together, at most 67108864 \(64 MiB\)/);
    expect(await rig.named('large-six-')).toEqual([]);
  });
});

describe('a tick of a schedule that replaces its runs', () => {
  it('deletes the Job of the run before', async () => {
    const tick = async (): Promise<string> => hooklet('schedule', 'trigger', 'nightly.sh', 'nightly');
    await tick();
    const first = await eventually(async () => runningNightly(), 60_000);
    await tick();

    await eventually(async () => {
      const now = await runningNightly();
      expect(now).not.toBe(first);
    }, 60_000);
    expect(await rig.jobsOf('nightly.sh')).toHaveLength(1);
  });
});

/** The uid of the Job of `nightly.sh` that runs. */
async function runningNightly(): Promise<string> {
  const pod = await working('nightly.sh');
  return pod.metadata?.ownerReferences?.[0]?.uid ?? '';
}

describe('an operator whose Jobs fail', () => {
  it('asks for nothing that is forbidden', async () => {
    expect(forbiddenRequests(await rig.requests(), serviceAccountUser(rig.namespace, 'hooklet'))).toEqual([]);
  });
});
