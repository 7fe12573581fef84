import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asked, jobHook } from './jobs-hooks.ts';
import { askPath, tokenFor } from './jobs-port.ts';
import { startJobs, type JobsRig } from './jobs-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';
import { ALIVE_UNTIL_TOLD, worksIn, wrongWorks } from './workers-audit.ts';

const plane = sharedControlPlane();
const byObject = (hook: string): object => asked(hook, { queue: undefined, concurrency: 'byObject', parallelism: 20 });
/** 50 MB of files, of which 30 are a patch. */
const LARGE = `
  for i in {1..30}; do
    create "large-$name-$i" "$namespace" | jq -c --rawfile text <(head -c 1000000 /dev/zero | tr '\\0' x) '.object.data.text = $text'
  done >> "$KUBERNETES_PATCH_PATH"
  head -c 20000000 /dev/zero > "$CONVERSION_RESPONSE_PATH"`;

const HOOKS = {
  'quick.sh': { bindings: byObject('quick') },
  'long.sh': { bindings: byObject('long'), work: ALIVE_UNTIL_TOLD },
  'large.sh': { bindings: byObject('large'), work: LARGE },
};

let rig: JobsRig;
beforeAll(async () => {
  const hooks = Object.entries(HOOKS).map(([name, hook]) => [name, jobHook({ ...hook, pool: 'default' })]);
  rig = await startJobs({ plane, hooks: Object.fromEntries(hooks), workers: 2 });
}, 180_000);
afterAll(async () => rig[Symbol.asyncDispose](), 60_000);

async function workers(): Promise<readonly string[]> {
  return (await rig.pods('workers')).map(({ metadata }) => metadata?.name ?? '').toSorted();
}

describe('a hook with executor: workers', () => {
  it('runs in the Pods of both workers, and the operator applies what it asks for, without a write to the API server for a run', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `l${index + 1}`);
    await rig.ask('long', ...names);
    const works = await eventually(() => {
      const found = worksIn(rig.shared());
      expect(found).toHaveLength(8);
      return found;
    }, 60_000);
    rig.tell(...names);
    for (const name of names) await rig.done(name);

    expect([...new Set(works.map(({ host }) => host))].toSorted()).toEqual(await workers());
    const written = (await rig.requests()).filter(({ verb }) => ['create', 'patch', 'update', 'delete'].includes(verb));
    const forRuns = written.filter(({ resource }) => ['jobs', 'pods'].includes(resource));
    expect(forRuns).toEqual([]);
    expect(wrongWorks(worksIn(rig.shared()), await rig.requests())).toEqual([]);
    expect(await rig.log()).toContain('it works on l1');
  });

  it('has results of 50 MB applied', async () => {
    await rig.ask('large', 'much');

    await rig.done('much');

    expect(await rig.named('large-much-')).toHaveLength(30);
  });

  it('gets no run to a Pod with another account, whatever it asks', async () => {
    const [operator] = await rig.pods('operator');
    const pod = operator?.metadata?.name ?? '';
    const [worker] = await workers();
    const of = { pod: worker ?? '', account: 'hooklet-workers' };
    const [foreign, own] = await Promise.all([tokenFor(rig, { pod, account: 'hooklet' }), tokenFor(rig, of)]);
    const hello = JSON.stringify({ pool: 'default', hooks: 'x', capacity: 1, version: '1' });

    const refused = await askPath(rig, { method: 'POST', path: '/v1/workers', token: foreign, body: hello });
    const guessed = await askPath(rig, { method: 'POST', path: '/v1/workers/guessed/claim?free=1', token: own });
    const noAudience = await tokenFor(rig, { ...of, audience: 'others' });

    expect(refused.status).toBe(403);
    expect(guessed.status).toBe(404);
    expect((await askPath(rig, { method: 'POST', path: '/v1/workers', token: noAudience, body: hello })).status).toBe(
      401,
    );
  });

  it('goes to no worker with other files than those of the operator', async () => {
    const other = { name: 'other', namespace: rig.namespace };
    const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
    const container = { name: 'other', image: 'operator', command: ['sleep', '600'], securityContext };
    const user = { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } };
    const spec = { serviceAccountName: 'hooklet-workers', containers: [container], securityContext: user };
    await rig.apply({ apiVersion: 'v1', kind: 'Pod', metadata: other, spec });
    const hello = { pool: 'default', hooks: 'f'.repeat(64), capacity: 1, version: 'other' };
    const token = await tokenFor(rig, { pod: 'other', account: 'hooklet-workers' });

    const said = await askPath(rig, { method: 'POST', path: '/v1/workers', token, body: JSON.stringify(hello) });
    const { worker } = JSON.parse(said.text);
    await rig.ask('quick', 'elsewhere');
    const claim = await askPath(rig, { method: 'POST', path: `/v1/workers/${worker}/claim?free=1&wait=2`, token });

    expect(JSON.parse(claim.text)).toEqual({ runs: [] });
    await rig.done('elsewhere');
  });

  it('is drained when its workers are scaled down: runs end where they are, and none is repeated', async () => {
    await rig.ask('long', 'd1', 'd2', 'd3', 'd4');
    await eventually(() => expect(ofObjects(/^d/)).toHaveLength(4), 60_000);
    await rig.kubectl('scale', 'deployment', 'hooklet-workers', '--replicas=1');
    await eventually(async () => {
      const leaving = (await rig.pods('workers')).filter(({ metadata }) => metadata?.deletionTimestamp !== undefined);
      expect(leaving).toHaveLength(1);
    }, 60_000);
    rig.tell('d1', 'd2', 'd3', 'd4');

    for (const name of ['d1', 'd2', 'd3', 'd4']) await rig.done(name);
    await eventually(async () => expect(await workers()).toHaveLength(1), 60_000);

    expect(ofObjects(/^d/)).toHaveLength(4);
    expect(wrongWorks(worksIn(rig.shared()), await rig.requests())).toEqual([]);
  });
});

function ofObjects(name: RegExp): readonly unknown[] {
  return worksIn(rig.shared()).filter(({ object }) => name.test(object));
}
