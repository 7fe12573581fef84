import { describe, expect, it } from 'vitest';
import { specProblem } from '../../examples/300-etcd/hooks/lib/spec-problem.ts';
import type { ClusterSpec } from '../../examples/300-etcd/hooks/lib/cluster.ts';
import { EtcdWorld } from '../support/etcd-world/world.ts';

const SPEC: ClusterSpec = { replicas: 3, version: '3.6.7', storage: { size: '8Gi' }, repair: { after: '1m' } };
const MEMBERS = ['etcd-0', 'etcd-1', 'etcd-2'];

async function running(changes: Partial<ClusterSpec> = {}): Promise<EtcdWorld> {
  const made = new EtcdWorld({ ...SPEC, ...changes });
  await made.rests();
  return made;
}

function uids(made: EtcdWorld, kind: string): readonly string[] {
  return MEMBERS.map((name) => made.objects.get(`${kind}/${name}`)?.uid ?? 'none');
}

function idOf(made: EtcdWorld, name: string): string {
  return made.etcd.list.find((member) => member.name === name)?.id ?? '';
}

describe('etcd: bugs of others', () => {
  it('the volumes of a new cluster are deleted, by an old time of deletion and by name (cass-operator#118)', async () => {
    for (let instant = 0; instant < 24; instant += 3) {
      const made = new EtcdWorld(SPEC);
      for (let step = 0; step < instant; step++) await made.step();
      // The operator sees the cluster as it was before it was deleted and made again, and none of what was made since.
      made.deletionTimestamp = '2026-01-01T00:00:00Z';
      made.freezeView();
      for (let step = 0; step < 3; step++) await made.step();
      made.deletionTimestamp = undefined;
      made.thawView();
      await made.rests();
      expect(made.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
      expect(made.voters()).toBe(3);
    }
  });

  it('an EtcdCluster that an older version refused or failed is never looked at again (cozystack#159)', async () => {
    for (const reason of ['InvalidSpec', 'UnsupportedUpgrade', 'HookFailed', 'HookGaveUp']) {
      const made = new EtcdWorld(SPEC);
      made.status = { conditions: [{ type: 'Ready', status: 'False', reason }] };
      await made.rests();
      expect(made.voters()).toBe(3);
    }
  });

  it('a size that is missing is read as 0, and nothing goes on (rabbitmq#2023): it is refused, nothing is taken away, and the next spec is done', async () => {
    const made = await running();
    const { replicas: _, ...without } = SPEC;
    made.spec = { ...SPEC };
    Reflect.deleteProperty(made.spec, 'replicas');
    expect(Object.keys(made.spec)).toEqual(Object.keys(without));
    for (let step = 0; step < 5; step++) await made.step();
    expect(made.reasons.at(-1)).toBe('InvalidSpec');
    expect(made.names()).toEqual(MEMBERS);
    made.spec = { ...SPEC, replicas: 5 };
    await made.rests();

    expect(made.voters()).toBe(5);
  });

  it('a label that Kubernetes refuses ends in the deletion of all StatefulSets (clickhouse-operator#1420): none is deleted, and all run on', async () => {
    const made = await running();
    const before = uids(made, 'StatefulSet');
    made.refuses = (given) => JSON.stringify(given).includes('not a label!');
    made.spec = { ...SPEC, pod: { nodeSelector: { team: 'not a label!' } } };
    for (let step = 0; step < 20; step++) await made.step();
    expect(uids(made, 'StatefulSet')).toEqual(before);
    expect(made.etcd.processes.size).toBe(3);
    expect(made.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
    made.spec = { ...SPEC, pod: { nodeSelector: { team: 'storage' } } };
    await made.rests();

    expect(uids(made, 'StatefulSet')).toEqual(before);
  });

  it('an early error leaves the status empty (etcd-io PR#395): each refusal has a condition, the members, and an Event once', async () => {
    for (const changes of [{ version: '3.4.1' }, { version: '3.5.1' }, { storage: { size: '1Gi' } }]) {
      const made = await running();
      made.spec = { ...SPEC, ...changes };
      for (let step = 0; step < 10; step++) await made.step();
      const ready = made.status.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject({ status: 'False' });
      expect(made.status.members).toHaveLength(3);
      expect(made.events.filter((event) => event.startsWith(`${ready?.reason}:`))).toHaveLength(1);
    }
  });

  it('the status shows a leader and members of different moments (etcd-io PR#392): the leader in it is one of its members, at each moment', async () => {
    const made = new EtcdWorld(SPEC);
    for (let step = 0; step < 120; step++) {
      if (step === 40) made.spec = { ...SPEC, replicas: 1 };
      if (step === 60) made.spec = { ...SPEC };
      if (step % 17 === 16) made.kill('etcd-0');
      await made.step();
      const { leader, members = [] }: typeof made.status & { readonly leader?: string | null } = made.status;
      const leading = members.filter(({ role }) => role === 'leader').map(({ name }) => name);
      if (leader !== undefined && leader !== null) expect(leading).toEqual([leader]);
      expect(leading.length).toBeLessThan(2);
    }
  });

  it('after a deletion a view of the past says that it lasts, and the workload never returns (prometheus-operator PR#8309)', async () => {
    const made = await running();
    made.objects.delete('StatefulSet/etcd-1');
    made.kill('etcd-1');
    made.freezeView();
    for (let step = 0; step < 3; step++) await made.step();
    made.thawView();
    await made.rests();

    expect(made.etcd.processes.size).toBe(3);
    expect(made.names()).toEqual(MEMBERS);
  });
});

describe('etcd: data that differs', () => {
  it('the alarm CORRUPT: the member that it is about is replaced when the others hold the same, and its alarm is lifted', async () => {
    const made = await running();
    // It leads, so that another has to before.
    const id = idOf(made, 'etcd-0');
    made.etcd.hashes.set('etcd-0', 7);
    made.etcd.corrupt.add(id);
    await made.until(() => made.etcd.corrupt.size === 0);
    expect(idOf(made, 'etcd-0')).not.toBe(id);
    expect(made.etcd.history.filter((line) => /remove|leader|disarm/.test(line))).toEqual([
      'leader etcd-1',
      'remove etcd-0',
      `disarm CORRUPT ${id}`,
    ]);
    expect(made.saved[0]).not.toContain('etcd-0');
    made.etcd.hashes.clear();
    await made.rests();

    expect(made.voters()).toBe(3);
  });

  it.each([
    ['that no hash confirms', 'etcd-0', [], 'CorruptUnfounded'],
    ['where the others differ, too', 'etcd-0', ['etcd-0', 'etcd-1'], 'HashesDiffer'],
  ])('an alarm CORRUPT %s replaces nobody, and is told once', async (_, accused, wrong, reason) => {
    const made = await running();
    for (const [at, name] of wrong.entries()) made.etcd.hashes.set(name, 7 + at);
    made.etcd.corrupt.add(idOf(made, accused));
    for (let step = 0; step < 4; step++) await made.step();

    expect(made.reasons.at(-1)).toBe(reason);
    expect(made.names()).toEqual(MEMBERS);
    expect(made.saved).toEqual([]);
    expect(made.events.filter((event) => event.startsWith(`${reason}:`))).toHaveLength(1);
  });

  it('alarms CORRUPT of two members replace none', async () => {
    const made = await running();
    for (const name of ['etcd-1', 'etcd-2']) made.etcd.corrupt.add(idOf(made, name));
    for (let step = 0; step < 20; step++) await made.step();

    expect(made.reasons.at(-1)).toBe('Corrupt');
    expect(made.names()).toEqual(MEMBERS);
  });

  it('a cluster that shrinks to one member never keeps the one that the alarm CORRUPT is about', async () => {
    for (const accused of MEMBERS) {
      const made = await running();
      made.etcd.hashes.set(accused, 7);
      made.etcd.corrupt.add(idOf(made, accused));
      made.spec = { ...SPEC, replicas: 1 };
      await made.rests();
      expect(made.names()).toHaveLength(1);
      expect(made.names()).not.toContain(accused);
      expect(made.saved).toHaveLength(1);
      expect(made.etcd.corrupt.size).toBe(0);
    }
  });

  it.each([
    ['about two members', ['etcd-0', 'etcd-1'], ['etcd-0', 'etcd-1'], 'Corrupt'],
    ['where the others differ, too', ['etcd-0'], ['etcd-0', 'etcd-1'], 'HashesDiffer'],
    ['that no hash confirms', ['etcd-0'], [], 'CorruptUnfounded'],
  ])('no cluster shrinks under an alarm CORRUPT %s', async (_, accused, wrong, reason) => {
    const made = await running();
    for (const [at, name] of wrong.entries()) made.etcd.hashes.set(name, 7 + at);
    for (const name of accused) made.etcd.corrupt.add(idOf(made, name));
    made.spec = { ...SPEC, replicas: 1 };
    for (let step = 0; step < 20; step++) await made.step();

    expect(made.reasons.at(-1)).toBe(reason);
    expect(made.names()).toEqual(MEMBERS);
  });

  it('no learner votes while an alarm CORRUPT is raised, as its data is a copy of what may be wrong', async () => {
    const made = await running({ replicas: 1 });
    made.spec = SPEC;
    await made.until(() => made.voters() === 2 && made.names().length === 3);
    made.etcd.hashes.set('etcd-0', 7);
    made.etcd.corrupt.add(idOf(made, 'etcd-0'));
    for (let step = 0; step < 20; step++) await made.step();
    expect(made.reasons.at(-1)).toBe('Corrupt');
    expect(made.voters()).toBe(2);
    made.etcd.hashes.clear();
    made.etcd.corrupt.clear();
    await made.rests();

    expect(made.voters()).toBe(3);
  });

  it('a member that fails is not replaced while the others hold different data', async () => {
    const made = await running();
    made.away.add('etcd-2');
    made.kill('etcd-2');
    made.etcd.hashes.set('etcd-1', 7);
    await made.until(() => made.reasons.at(-1) === 'HashesDiffer');
    expect(made.messages.at(-1)).toContain('etcd-0 has hash 1, etcd-1 has hash 7');
    expect(made.names()).toEqual(MEMBERS);
    made.etcd.hashes.clear();
    await made.until(() => !made.names().includes('etcd-2'));
  });

  it('a member that only the operator cannot reach is not replaced as a dead one, which is told once', async () => {
    const made = await running();
    made.etcd.unheard.add('etcd-2');
    for (let step = 0; step < 60; step++) await made.step();
    expect(made.reasons.at(-1)).toBe('SeenByOthers');
    expect(made.names()).toEqual(MEMBERS);
    expect(made.events.filter((event) => event.startsWith('SeenByOthers'))).toHaveLength(1);
    made.etcd.unheard.clear();
    await made.rests();
  });

  it('a member that answers, and is cut off from the others, is not replaced', async () => {
    const made = await running();
    made.etcd.cutOff.add('etcd-2');
    for (let step = 0; step < 60; step++) await made.step();

    expect(made.reasons.at(-1)).toBe('NotFollowing');
    expect(made.names()).toEqual(MEMBERS);
  });

  it('replacing for CORRUPT ends well with a crash after each effect', async () => {
    const story = async (made: EtcdWorld): Promise<void> => {
      made.etcd.hashes.set('etcd-1', 7);
      made.etcd.corrupt.add(idOf(made, 'etcd-1'));
      await made.until(() => made.etcd.corrupt.size === 0);
      made.etcd.hashes.clear();
      await made.rests();
    };
    const whole = await running();
    const from = whole.effects;
    await story(whole);
    for (let effect = from + 1; effect <= whole.effects; effect++) {
      const crashed = await running();
      crashed.crashAfter(effect);
      await story(crashed);
      expect({ effect, members: crashed.names().length, voters: crashed.voters() }).toEqual({
        effect,
        members: 3,
        voters: 3,
      });
      expect(crashed.names()).toContain('etcd-0');
      expect(crashed.names()).toContain('etcd-2');
    }
  });
});

it('what is wrong with labels and annotations of Pods is told before anything is written (clickhouse-operator#1420)', () => {
  expect(specProblem({ ...SPEC, pod: { labels: { 'not a label!': 'x' } } })).toContain(
    'spec.pod.labels has "not a label!: x"',
  );
  expect(specProblem({ ...SPEC, pod: { labels: { team: 'a b' } } })).toContain('spec.pod.labels has "team: a b"');
  expect(specProblem({ ...SPEC, pod: { annotations: { 'not a name!': 'x' } } })).toContain(
    'spec.pod.annotations has "not a name!"',
  );
  expect(specProblem({ ...SPEC, pod: { labels: { 'example.com/team': 'a-b_c.d', empty: '' } } })).toBeUndefined();
});
