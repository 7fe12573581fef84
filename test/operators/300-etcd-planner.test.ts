import { describe, expect, it } from 'vitest';
import type { ClusterSpec } from '../../examples/300-etcd/hooks/lib/cluster.ts';
import { EtcdWorld } from '../support/etcd-world/world.ts';

const SPEC: ClusterSpec = { replicas: 3, version: '3.6.7', storage: { size: '8Gi' }, repair: { after: '1m' } };

function world(changes: Partial<ClusterSpec> = {}): EtcdWorld {
  return new EtcdWorld({ ...SPEC, ...changes });
}

async function running(changes: Partial<ClusterSpec> = {}): Promise<EtcdWorld> {
  const made = world(changes);
  await made.rests();
  return made;
}

function named(...numbers: readonly number[]): readonly string[] {
  return numbers.map((number) => `etcd-${number}`);
}

/** Plays a story once for each effect in it, with a crash after that effect; returns how many there were. */
async function crashEverywhere(story: (world: EtcdWorld) => Promise<void>): Promise<number> {
  const whole = world();
  await story(whole);
  for (let effect = 1; effect <= whole.effects; effect++) {
    const crashed = world();
    crashed.crashAfter(effect);
    await story(crashed);
    expect({ effect, members: crashed.names() }).toEqual({ effect, members: whole.names() });
    expect(crashed.etcd.foundings).toBe(1);
  }
  return whole.effects;
}

describe('etcd: refused', () => {
  it.each([
    [{ replicas: 0 }, 'spec.replicas is 0: ask for 1, 3, 5, 7, 9 or 11 members'],
    [{ replicas: -3 }, 'spec.replicas is -3: ask for 1,'],
    [{ replicas: 2 }, '2 members survive the loss of 0, as 1 do, and have one more to lose: ask for 1 or 3'],
    [{ replicas: 13 }, 'spec.replicas is 13: ask for 1,'],
    [{ version: '3.4.1' }, 'spec.version is "3.4.1": ask for a released version of 3.5 and 3.6'],
    [{ version: 'latest' }, 'spec.version is "latest"'],
    [{ storage: { size: '-8Gi' } }, 'spec.storage.size is "-8Gi": ask for at least 256Mi'],
    [{ storage: { size: '64Mi' } }, 'a file of the log of etcd alone takes 64 MB'],
    [{ repair: { after: '0s' } }, 'spec.repair.after is "0s": ask for a duration of at least 10s'],
    [{ options: { electionMilliseconds: 200 } }, 'so ask for 500 or more'],
    [{ options: { autoCompaction: '365d' } }, 'spec.options.autoCompaction is "365d": ask for a duration such as 1h'],
    [{ restore: { claimName: 'a', file: '../b' } }, 'spec.restore.file is "../b"'],
  ])('%j is told with what to ask for, and nothing is made', async (changes, sentence) => {
    const made = world(changes);
    await made.step();

    expect(made.messages.at(-1)).toContain(sentence);
    expect(made.reasons.at(-1)).toBe('InvalidSpec');
    expect(made.objects.size).toBe(0);
  });

  it.each([
    ['3.5.21', '3.6.7', undefined],
    ['3.6.7', '3.6.6', undefined],
    ['3.6.7', '3.5.21', 'etcd does not go back a minor: ask for a version 3.6'],
  ])('from %s to %s', async (version, to, sentence) => {
    const made = await running({ version, replicas: 1 });
    made.spec = { ...made.spec, version: to };
    await made.step();

    if (sentence === undefined) expect(made.reasons.at(-1)).toBe('Working');
    else expect(made.messages.at(-1)).toContain(sentence);
  });
});

describe('etcd: create and scale', () => {
  it.each([1, 3, 5])('%i members are founded by one, and the others join as learners', async (replicas) => {
    const made = await running({ replicas });

    expect(made.names()).toEqual(named(...Array.from({ length: replicas }, (_, at) => at)));
    expect(made.voters()).toBe(replicas);
    expect(made.etcd.foundings).toBe(1);
    expect(made.status.clusterID).toBe('c');
    expect(made.status.members?.map(({ role }) => role).toSorted()).toEqual(
      ['leader', ...Array.from({ length: replicas - 1 }, () => 'follower')].toSorted(),
    );
  });

  it('what a member was given is given again unchanged: each object of a new cluster is made once', async () => {
    const made = await running();

    expect(
      [...made.objects.values()]
        .filter(({ given }) => given.kind === 'StatefulSet')
        .map(({ generation }) => generation),
    ).toEqual([1, 1, 1]);
    expect(made.events.filter((event) => event.startsWith('MemberPromoted'))).toHaveLength(2);
  });

  it('crash between "etcd member added" and "StatefulSet made": membership and Pods agree in the end (etcd-io#26)', async () => {
    const effects = await crashEverywhere(async (made) => {
      await made.rests();
      made.spec = { ...made.spec, replicas: 5 };
      await made.rests();
      made.spec = { ...made.spec, replicas: 3 };
      await made.rests();
    });
    expect(effects).toBeGreaterThan(60);
  });

  it('the wrong member is removed where names are sorted by letters (etcd-io PR#400): 9 -> 11 -> 9', async () => {
    const made = await running({ replicas: 9 });
    made.spec = { ...made.spec, replicas: 11 };
    await made.rests();
    expect(made.names()).toHaveLength(11);
    made.spec = { ...made.spec, replicas: 9 };
    await made.rests();

    expect(made.names()).toEqual(named(0, 1, 2, 3, 4, 5, 6, 7, 8));
    expect(made.etcd.history.filter((line) => line.startsWith('remove'))).toEqual(['remove etcd-10', 'remove etcd-9']);
  });

  it('the leader is removed without handing over (etcd-io PR#400): it is moved first', async () => {
    const made = await running();
    made.etcd.leader = made.etcd.list[2]?.id ?? '';
    made.spec = { ...made.spec, replicas: 1 };
    await made.rests();

    expect(made.names()).toEqual(['etcd-0']);
    expect(made.etcd.history.filter((line) => line.includes('while it leads'))).toEqual([]);
    expect(made.etcd.history).toContain('leader etcd-0');
  });

  it('a scale step restarts the first member while two of three exist (etcd-backup-restore#646)', async () => {
    const whole = await running({ replicas: 1 });
    whole.spec = { ...SPEC };
    let ticks = 0;
    for (; whole.names().length < 3 || whole.reasons.at(-1) !== 'AllWell'; ticks++) await whole.step();

    for (let instant = 0; instant < ticks; instant++) {
      const made = await running({ replicas: 1 });
      made.spec = { ...SPEC };
      for (let tick = 0; tick < instant; tick++) await made.step();
      made.kill('etcd-0');
      await made.rests();
      expect(made.names()).toEqual(named(0, 1, 2));
      expect(made.etcd.foundings).toBe(1);
    }
  });

  it('the step itself restarts nobody: 1 -> 3 changes no StatefulSet that is there', async () => {
    const made = await running({ replicas: 1 });
    const before = made.objects.get('StatefulSet/etcd-0')?.generation;
    made.spec = { ...SPEC };
    await made.rests();

    expect(made.objects.get('StatefulSet/etcd-0')?.generation).toBe(before);
  });

  it('a member that comes back on the disk of one that was removed (etcd#14805): 3 -> 1 -> 3', async () => {
    const made = await running();
    made.spec = { ...SPEC, replicas: 1 };
    await made.rests();
    expect([...made.objects.keys()].filter((key) => key.includes('data-'))).toEqual([
      'PersistentVolumeClaim/data-etcd-0',
    ]);
    made.spec = { ...SPEC };
    await made.rests();

    expect(made.voters()).toBe(3);
  });

  it('one Pod deleted by hand: the size stays what the spec says (etcd-io#193)', async () => {
    const made = await running();
    for (const name of named(0, 1, 2)) {
      made.kill(name);
      await made.rests();
    }

    expect(made.etcd.history.filter((line) => line.startsWith('remove'))).toEqual([]);
    expect(made.voters()).toBe(3);
  });

  it('a stale view after 3 -> 1 -> 3 deletes no volume of a live member (cassandra-operator#407)', async () => {
    for (let frozen = 0; frozen < 30; frozen += 2) {
      const made = await running();
      made.spec = { ...SPEC, replicas: 1 };
      const steps = async (count: number): Promise<void> => {
        for (let step = 0; step < count; step++) await made.step();
      };
      await steps(frozen);
      made.freezeView();
      made.spec = { ...SPEC };
      await steps(3);
      made.thawView();
      await made.rests();
      expect(made.voters()).toBe(3);
    }
  });
});

describe('etcd: change', () => {
  it('a version goes to one member at a time, to the leader last', async () => {
    const made = await running({ version: '3.5.21' });
    made.spec = { ...made.spec, version: '3.6.7' };
    const order: string[] = [];
    for (let ticks = 0; ticks < 200 && made.status.members?.some(({ version }) => version !== '3.6.7'); ticks++) {
      await made.step();
      expect(made.etcd.processes.size).toBeGreaterThanOrEqual(2);
    }
    for (const event of made.events) if (event.startsWith('MemberChanged')) order.push(event.slice(15, 21));

    expect(order.at(-1)).toBe('etcd-0');
    expect(new Set(order)).toEqual(new Set(named(0, 1, 2)));
    expect(made.etcd.history).toContain('leader etcd-1');
  });

  it('a change recorded before it is done, then a crash, is never resumed (rabbitmq#782)', async () => {
    await crashEverywhere(async (made) => {
      await made.rests();
      made.spec = { ...made.spec, version: '3.6.8', options: { snapshotCount: 5000 } };
      await made.rests();
      expect(made.status.members?.map(({ version }) => version)).toEqual(['3.6.8', '3.6.8', '3.6.8']);
    });
  });

  it.each([1, 3])(
    'the good image is not applied, as the bad one is waited for (etcd-druid#818): %i member(s)',
    async (replicas) => {
      const made = await running({ replicas });
      made.badImages.add('gcr.io/etcd-development/etcd:v3.6.99');
      made.spec = { ...made.spec, version: '3.6.99' };
      for (let tick = 0; tick < 8; tick++) await made.step();
      expect(made.etcd.processes.size).toBe(replicas - 1);
      made.spec = { ...made.spec, version: '3.6.8' };
      await made.rests();

      expect(made.status.members?.every(({ version }) => version === '3.6.8')).toBe(true);
    },
  );

  it('a mistake in the spec costs no disk: a member that was not well since it was rolled is not replaced', async () => {
    const made = await running({ repair: { after: '1m' } });
    const uids = () => named(0, 1, 2).map((name) => made.objects.get(`PersistentVolumeClaim/data-${name}`)?.uid);
    const before = uids();
    made.badImages.add('gcr.io/etcd-development/etcd:v3.6.99');
    made.spec = { ...made.spec, version: '3.6.99' };
    for (let tick = 0; tick < 60; tick++) await made.step();

    expect(made.reasons.at(-1)).toBe('FormFailing');
    expect(uids()).toEqual(before);
    made.spec = { ...made.spec, version: '3.6.8' };
    await made.rests();
    expect(uids()).toEqual(before);
    expect(made.status.members?.map(({ version }) => version)).toEqual(['3.6.8', '3.6.8', '3.6.8']);
  });

  it('a member that loses its disk when it was rolled, before the others are, is replaced', async () => {
    const made = await running({ repair: { after: '1m' } });
    const id = (name: string) => made.status.members?.find((member) => member.name === name)?.id;
    made.spec = { ...made.spec, version: '3.6.8' };
    const versionOf = (name: string) => made.status.members?.find((member) => member.name === name)?.version;
    await made.until(() => named(0, 1, 2).filter((name) => versionOf(name) === '3.6.8').length === 1);
    await made.step();
    const rolled = named(0, 1, 2).find((name) => versionOf(name) === '3.6.8') ?? '';
    const before = id(rolled);
    made.loseDisk(rolled);
    await made.rests();

    expect(made.voters()).toBe(3);
    expect(made.status.members?.map(({ id: one }) => one)).not.toContain(before);
  });

  it('a founding member with a bad image is mended by a good one', async () => {
    const made = world({ version: '3.6.99' });
    made.badImages.add('gcr.io/etcd-development/etcd:v3.6.99');
    for (let tick = 0; tick < 5; tick++) await made.step();
    expect(made.reasons.at(-1)).toBe('Founding');
    made.spec = { ...SPEC };
    await made.rests();

    expect(made.voters()).toBe(3);
  });

  it('a field that cannot change means downtime (prometheus-operator#3875): volumes grow at once, and restart nobody', async () => {
    const made = await running();
    const generations = () => named(0, 1, 2).map((name) => made.objects.get(`StatefulSet/${name}`)?.generation);
    const before = generations();
    made.spec = { ...made.spec, storage: { size: '16Gi' } };
    await made.rests();

    expect(generations()).toEqual(before);
    expect(JSON.stringify(made.objects.get('PersistentVolumeClaim/data-etcd-2')?.given.spec)).toContain('16Gi');
  });
});

describe('etcd: what fails', () => {
  it('quorum lost: the operator keeps making Pods (coreos#1972): nothing is written for an hour', async () => {
    const made = await running();
    made.away.add('etcd-1').add('etcd-2');
    made.kill('etcd-1');
    made.kill('etcd-2');
    await made.step();
    const before = made.writes.length;
    for (let tick = 0; tick < 720; tick++) await made.step();

    expect(made.reasons.at(-1)).toBe('QuorumLost');
    expect(made.messages.at(-1)).toContain('nothing is changed');
    expect(made.writes.slice(before)).toEqual([]);
    expect(made.events.filter((event) => event.startsWith('QuorumLost'))).toEqual([made.events.at(-1)]);
    made.away.clear();
    await made.rests();
    expect(made.etcd.foundings).toBe(1);
  });

  it('a repair founds a second cluster (etcd-druid#452): a member without its disk is replaced, by a learner', async () => {
    const effects = await crashEverywhere(async (made) => {
      await made.rests();
      made.loseDisk('etcd-0');
      await made.until(() => !made.names().includes('etcd-0') || made.etcd.processes.size === 3);
      await made.until(() => made.voters() === 3 && made.etcd.processes.size === 3);
      await made.rests();
    });
    expect(effects).toBeGreaterThan(40);
  });

  it('a member that fails is given time, a snapshot is taken, then it is replaced', async () => {
    const made = await running();
    made.away.add('etcd-2');
    made.kill('etcd-2');
    for (let tick = 0; tick < 10; tick++) await made.step();
    expect(made.names()).toEqual(named(0, 1, 2));
    await made.until(() => !made.names().includes('etcd-2'));
    expect(made.saved).toHaveLength(1);
    made.away.clear();
    await made.rests();

    expect(made.voters()).toBe(3);
    expect(made.events.filter((event) => event.startsWith('MemberReplaced'))).toHaveLength(1);
  });

  it('NOSPACE unseen, and a repair started on it (etcd-io PR#401): it is told, and nobody is replaced', async () => {
    const made = await running({ onNoSpace: 'Tell' });
    made.etcd.noSpace.add(made.etcd.list[0]?.id ?? '');
    made.away.add('etcd-2');
    made.kill('etcd-2');
    for (let tick = 0; tick < 100; tick++) await made.step();

    expect(made.status.conditions?.find(({ type }) => type === 'HasSpace')?.status).toBe('False');
    expect(made.names()).toEqual(named(0, 1, 2));
    expect(made.saved).toEqual([]);
  });

  it('of one member none is replaced, which is told', async () => {
    const made = await running({ replicas: 1 });
    made.away.add('etcd-0');
    made.kill('etcd-0');
    for (let tick = 0; tick < 100; tick++) await made.step();

    expect(made.reasons.at(-1)).toBe('QuorumLost');
    expect(made.names()).toEqual(['etcd-0']);
  });

  it('a StatefulSet and its ConfigMap that somebody deletes come back, on the same disk', async () => {
    const made = await running();
    made.objects.delete('StatefulSet/etcd-1');
    made.objects.delete('ConfigMap/etcd-1');
    await made.rests();

    expect(made.voters()).toBe(3);
    expect(made.etcd.history.filter((line) => line.startsWith('remove'))).toEqual([]);
  });

  it('where all volumes are gone no empty cluster takes the place of the old one', async () => {
    const made = await running();
    for (const key of made.objects.keys()) made.objects.delete(key);
    for (const name of named(0, 1, 2)) made.kill(name);
    for (let tick = 0; tick < 50; tick++) await made.step();

    expect(made.reasons.at(-1)).toBe('DataGone');
    expect(made.objects.size).toBe(0);
  });

  it('a quiet day writes nothing', async () => {
    const made = await running();
    const before = made.writes.length;
    for (let minute = 0; minute < 1440; minute++) {
      made.nowMs += 55_000;
      await made.step();
    }

    expect(made.writes.slice(before)).toEqual([]);
  });
});

describe('etcd: space', () => {
  const MEBIBYTES = 2 ** 20;

  /** A cluster whose file is full of what nobody needs. */
  async function full(changes: Partial<ClusterSpec> = {}): Promise<EtcdWorld> {
    const made = await running(changes);
    made.etcd.usedBytes = 300 * MEBIBYTES;
    made.etcd.quotaBytes = 200 * MEBIBYTES;
    for (const name of made.names()) made.etcd.fileBytes.set(name, 300 * MEBIBYTES);
    made.etcd.tick();
    return made;
  }

  it('half of the files are free: members are defragmented one at a time, and the leader last, when it no longer leads', async () => {
    const made = await running();
    for (const name of made.names()) made.etcd.fileBytes.set(name, 200 * MEBIBYTES);
    made.etcd.usedBytes = 100 * MEBIBYTES;
    const before = made.etcd.history.length;
    await made.rests();

    expect(made.etcd.history.slice(before)).toEqual([
      'defragment etcd-1',
      'defragment etcd-2',
      'leader etcd-1',
      'defragment etcd-0',
    ]);
  });

  it.each([
    [99, 49],
    [200, 101],
  ])('of %i MiB %i are used: nothing is defragmented', async (all, used) => {
    const made = await running();
    for (const name of made.names()) made.etcd.fileBytes.set(name, all * MEBIBYTES);
    made.etcd.usedBytes = used * MEBIBYTES;
    const before = made.etcd.history.length;
    await made.rests();

    expect(made.etcd.history.slice(before)).toEqual([]);
  });

  it('NOSPACE is ended by one attempt: compacted, defragmented with the leader last, disarmed', async () => {
    const made = await full();
    const before = made.etcd.history.length;
    await made.rests();

    expect(made.etcd.history.slice(before)).toEqual([
      'compact',
      'defragment etcd-1',
      'defragment etcd-2',
      'leader etcd-1',
      'defragment etcd-0',
      'disarm NOSPACE etcd-0',
      'disarm NOSPACE etcd-1',
      'disarm NOSPACE etcd-2',
    ]);
    expect(made.etcd.noSpace.size).toBe(0);
    expect(made.events.filter((event) => event.startsWith('NoSpace'))).toHaveLength(1);
  });

  it('an alarm CORRUPT, and one NOSPACE of another member, that are raised as NOSPACE is ended, stay', async () => {
    const made = await full();
    await made.until(() => made.etcd.history.at(-1) === 'defragment etcd-0');
    const [first = '', , third = ''] = made.etcd.list.map(({ id }) => id);
    made.etcd.noSpace.delete(third);
    made.etcd.beforeDisarm = () => {
      made.etcd.corrupt.add(first);
      made.etcd.noSpace.add(third);
    };
    await made.step();

    expect([...made.etcd.corrupt]).toEqual([first]);
    expect([...made.etcd.noSpace]).toEqual([third]);
  });

  it('NOSPACE is ended also where the operator crashes after any effect, and the attempts stay at 3', async () => {
    const whole = await full();
    const from = whole.effects;
    await whole.rests();
    expect(whole.effects - from).toBeGreaterThan(10);
    for (let effect = from + 1; effect <= whole.effects; effect++) {
      const crashed = await full();
      crashed.crashAfter(effect);
      await crashed.rests();
      expect({ effect, raised: crashed.etcd.noSpace.size }).toEqual({ effect, raised: 0 });
      expect(crashed.etcd.history.filter((line) => line.includes('while it leads'))).toEqual([]);
    }
  });

  it('where all is needed 3 attempts are made an hour, which is told, until the quota is raised', async () => {
    const made = await full();
    made.etcd.liveBytes = 300 * MEBIBYTES;
    const disarmed = () => made.etcd.history.filter((line) => line === 'disarm NOSPACE etcd-0').length;
    await made.until(() => made.reasons.at(-1) === 'NoSpaceAgain');
    expect(disarmed()).toBe(3);
    for (let tick = 0; tick < 500; tick++) await made.step();
    expect(disarmed()).toBe(3);
    expect(made.messages.at(-1)).toContain('raise spec.options.quotaBackendBytes, or delete keys');

    made.etcd.quotaBytes = 400 * MEBIBYTES;
    made.spec = { ...made.spec, options: { quotaBackendBytes: 400 * MEBIBYTES } };
    for (let tick = 0; tick < 900; tick++) await made.step();
    expect(made.etcd.noSpace.size).toBe(0);
    expect(made.reasons.at(-1)).toBe('AllWell');
  });

  it('a member that does not answer does not keep NOSPACE from being ended, and is replaced then', async () => {
    const made = await full();
    made.kill('etcd-2');
    made.away.add('etcd-2');
    await made.until(() => made.etcd.noSpace.size === 0);
    expect(made.names()).toEqual(named(0, 1, 2));
    made.etcd.quotaBytes = Number.POSITIVE_INFINITY;
    await made.until(() => !made.names().includes('etcd-2'));
    made.away.clear();
    await made.rests();

    expect(made.voters()).toBe(3);
  });

  it('with onNoSpace Tell nothing is compacted', async () => {
    const made = await full({ onNoSpace: 'Tell' });
    const before = made.writes.length;
    for (let tick = 0; tick < 100; tick++) await made.step();

    expect(made.writes.slice(before)).toEqual(['write status']);
    expect(made.reasons.at(-1)).toBe('NoSpace');
  });
});

describe('etcd: restore', () => {
  const restore = { claimName: 'backups', file: 'monday.db' };

  it('a restore founds a second cluster (etcd-druid#452): a Job restores once, also with a crash after each effect', async () => {
    const whole = await running({ restore });
    expect(whole.voters()).toBe(3);
    expect([...whole.objects.keys()]).not.toContain('Job/etcd-0-restore');
    for (let effect = 1; effect <= whole.effects; effect++) {
      const crashed = world({ restore });
      crashed.crashAfter(effect);
      await crashed.rests();
      expect({ effect, foundings: crashed.etcd.foundings, voters: crashed.voters() }).toEqual({
        effect,
        foundings: 1,
        voters: 3,
      });
    }
  });

  it('while the Job runs no member is started, and one that fails is told', async () => {
    const made = world({ restore });
    made.jobs = 'running';
    for (let tick = 0; tick < 20; tick++) await made.step();
    expect(made.reasons.at(-1)).toBe('Restoring');
    expect([...made.objects.keys()].filter((key) => key.startsWith('StatefulSet/'))).toEqual([]);
    made.jobs = 'failed';
    for (let tick = 0; tick < 20; tick++) await made.step();

    expect(made.reasons.at(-1)).toBe('RestoreFailed');
    expect(made.events.filter((event) => event.startsWith('RestoreFailed'))).toHaveLength(1);
    expect(made.etcd.foundings).toBe(0);
  });
});
