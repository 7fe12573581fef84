import { describe, expect, it, vi } from 'vitest';
import { joinLimitMs } from '../../solutions/etcd-repair/hooks/lib/join-limit.ts';
import { Kubernetes, NotAllowedError, type Answer } from '../../solutions/etcd-repair/hooks/lib/kubernetes.ts';
import { guardNewPod } from '../../solutions/etcd-repair/hooks/lib/new-pod.ts';
import { quantity } from '../../solutions/etcd-repair/hooks/lib/quota.ts';
import { guardRepairLimit, repairsOfDay } from '../../solutions/etcd-repair/hooks/lib/repairs.ts';
import { guardRevision, revisionToBeMade } from '../../solutions/etcd-repair/hooks/lib/revision.ts';
import { isLearning } from '../../solutions/etcd-repair/hooks/lib/view.ts';

const GIBIBYTE = 1024 ** 3;
const nowMs = Date.parse('2026-01-02T12:00:00Z');

describe('the limit for a new member that loads', () => {
  const limit = (databaseBytes: number, attempt = 0): number =>
    joinLimitMs({ joinWithinMs: 600_000, databaseBytes, attempt }) / 1000;

  it('is 600 s for an empty database, and long enough for 8 GiB at 100 Mbit/s', () => {
    expect(limit(0)).toBe(600);
    expect(limit(8 * GIBIBYTE)).toBeGreaterThan((8 * GIBIBYTE * 8) / 100e6);
  });

  it('doubles with each attempt', () => {
    expect([1, 2, 3].map((attempt) => limit(0, attempt))).toEqual([1200, 2400, 4800]);
  });
});

describe('a learner', () => {
  const learner = (fields: object): Parameters<typeof isLearning>[0] => {
    const member = { id: '4', name: 'etcd-1', peerUrls: [], isLearner: true };
    return { member, answers: false, error: '', ...fields };
  };

  it.each([
    ['answers', { answers: true }, true],
    ['has started, and cannot check a password', { error: 'etcdserver: rpc not supported for learner' }, true],
    ['is silent', { error: 'context deadline exceeded' }, false],
    ['is a voter already', { answers: true, member: { id: '4', name: 'etcd-1', isLearner: false } }, false],
    ['has not started', { error: 'connection refused', member: { id: '4', name: '', isLearner: true } }, false],
  ])('that %s is promoted, or not: %#', (_, fields, isPromoted) => {
    expect(isLearning(learner(fields))).toBe(isPromoted);
  });
});

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** A run that records its refusals. */
function turnWith(fields: object) {
  const told: Refusal[] = [];
  const outcome = {
    refuse: (reason: string, message: string) => told.push({ reason, message }) < 0,
    waitForNews: (message: string) => told.push({ reason: 'waits', message }) < 0,
    say: (message: string) => told.push({ reason: 'says', message }),
  };
  const settings = { namespace: 'db', statefulset: 'etcd', maxRepairsPerDay: 3 };
  return { told, turn: { outcome, settings, ...fields } as unknown as Parameters<typeof guardNewPod>[0] };
}

const UPDATES = { current: 'a', update: 'b', partition: 0, isSeen: true };

describe('what is made anew', () => {
  const CLAIM = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };
  const SET = {
    metadata: { name: 'etcd', uid: 'uid' },
    spec: {
      serviceName: 'etcd',
      template: {
        metadata: { labels: { app: 'etcd' } },
        spec: { containers: [], volumes: [{ name: 'data' }, { name: 'tmp' }] },
      },
      volumeClaimTemplates: [CLAIM],
    },
  };

  /**
   * Runs the guard with the Pod and its claim, or without them. The dry run of the Pod is refused with the message;
   * without a message, everything exists already.
   */
  async function tried(message: string, { isThere = true, used = '1', unschedulable = '', updates = UPDATES } = {}) {
    const asked: { readonly path: string; readonly object: object }[] = [];
    const kubernetes = {
      get: async (path: string): Promise<unknown> => {
        if (!path.endsWith('/resourcequotas')) return SET;
        return { items: [{ metadata: { name: 'tight' }, status: { hard: { pods: '1' }, used: { pods: used } } }] };
      },
      dryRun: async (path: string, object: object): Promise<Answer> => {
        asked.push({ path, object });
        const isPod = path.endsWith('/pods');
        return isPod && message !== '' ? { status: 403, body: { message } } : { status: 409, body: {} };
      },
    };
    const claims = isThere ? [{ name: 'data-etcd-1' }] : [];
    const facts = {
      target: { pod: 'etcd-1' },
      targetPod: isThere ? { unschedulable } : undefined,
      objects: { statefulset: { updates, claim: 'data' }, claims },
    };
    const { told, turn } = turnWith({ kubernetes, facts });
    return { goesOn: await guardNewPod(turn), told, asked };
  }

  it('is asked for as the StatefulSet makes it, claim and Pod, as a dry run', async () => {
    const { goesOn, asked } = await tried('');

    expect(goesOn).toBe(true);
    expect(asked.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/db/persistentvolumeclaims',
      '/api/v1/namespaces/db/pods',
    ]);
    expect(asked[0]?.object).toMatchObject({ metadata: { name: 'data-etcd-1' }, spec: CLAIM.spec });
    expect(asked[1]?.object).toMatchObject({
      kind: 'Pod',
      metadata: { name: 'etcd-1', labels: { app: 'etcd', 'controller-revision-hash': 'b' } },
      spec: {
        hostname: 'etcd-1',
        subdomain: 'etcd',
        volumes: [{ name: 'tmp' }, { name: 'data', persistentVolumeClaim: { claimName: 'data-etcd-1' } }],
      },
    });
  });

  const QUOTA = 'pods "etcd-1" is forbidden: exceeded quota: tight, requested: pods=1, used: pods=1, limited: pods=1';
  it.each([
    ['a full quota, of which the old one is a part', QUOTA, {}, undefined],
    ['a full quota, where the old one is gone', QUOTA, { isThere: false }, 'PodCannotBeMade'],
    ['a quota of which more is used than there may be', QUOTA, { used: '4' }, 'PodCannotBeMade'],
    ['admission', 'violates PodSecurity "restricted:latest"', {}, 'PodCannotBeMade'],
    ['a missing right', 'User "x" cannot create resource "pods" in API group ""', {}, 'RightsMissing'],
    ['a webhook that cannot be asked', 'admission webhook "w" does not support dry run', {}, undefined],
    ['no node', '', { unschedulable: '0/3 nodes are available: 3 Insufficient cpu.' }, 'PodUnschedulable'],
    ['a node that is gone', '', { unschedulable: '1 node(s) had volume node affinity conflict.' }, undefined],
  ])('is judged by %s', async (_, message, options, reason) => {
    const { goesOn, told } = await tried(message, options);

    expect(goesOn).toBe(reason === undefined);
    expect(told.find((one) => one.reason !== 'says')?.reason).toBe(reason);
  });

  it('is tried by its claims alone where the Pod would be of an older revision, whose template is not known', async () => {
    const { goesOn, asked } = await tried('refused', { updates: { ...UPDATES, partition: 3 } });

    expect(goesOn).toBe(true);
    expect(asked).toHaveLength(1);
  });
});

describe('the API server', () => {
  it.each([
    ['where the hook runs in no Pod', {}, '/nowhere', 'KUBERNETES_SERVICE_HOST is not set'],
    ['without a ServiceAccount', { KUBERNETES_SERVICE_HOST: '127.0.0.1' }, '/nowhere', 'REPAIR_ACCOUNT_DIR'],
  ])('cannot be asked %s, which is told', async (_, env, accountDir, why) => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const settings = { accountDir } as ConstructorParameters<typeof Kubernetes>[0];
    const asked = new Kubernetes(settings, new AbortController().signal).get('/api');

    await expect(asked).rejects.toThrow(NotAllowedError);
    await expect(asked).rejects.toThrow(why);
    vi.unstubAllEnvs();
  });
});

describe('the revision a Pod is made of', () => {
  it('is the current one below the partition, else the new one', () => {
    const made = ['etcd-0', 'etcd-1', 'etcd-10'].map((pod) => revisionToBeMade({ ...UPDATES, partition: 1 }, pod));

    expect(made).toEqual(['a', 'b', 'b']);
  });

  it.each([
    ['it is the only one', { current: 'b' }, 'x', true],
    ['a member that is well runs it', {}, 'b', true],
    ['no member that is well runs it', {}, 'a', false],
    ['the controller has not seen the StatefulSet as it is', { current: 'b', isSeen: false }, 'b', false],
  ])('is trusted or not when %s', (_, updates, revision, goesOn) => {
    const objects = {
      statefulset: { updates: { ...UPDATES, ...updates } },
      pods: [
        { name: 'etcd-0', revision },
        { name: 'etcd-1', revision: 'b' },
      ],
    };
    const pods = [
      { pod: 'etcd-0', isWell: true },
      { pod: 'etcd-1', isWell: false },
    ];
    const { turn, told } = turnWith({ facts: { target: { pod: 'etcd-1' }, objects, pods } });

    expect(guardRevision(turn)).toBe(goesOn);
    expect(told.map(({ reason }) => reason)).toEqual(goesOn ? [] : ['StatefulSetUpdating']);
  });
});

describe('the repairs of a day', () => {
  it('are those of the last 24 hours; what is no time, or of a clock that was far ahead, is none', () => {
    const text = '2026-01-01T11:00:00Z 2026-01-01T13:00:00Z never 2027-01-01T00:00:00Z 2026-01-02T11:00:00Z';

    expect(repairsOfDay(text, nowMs)).toEqual(['2026-01-01T13:00:00Z', '2026-01-02T11:00:00Z']);
  });

  it.each([
    [2, true],
    [3, false],
  ])('may be 3: after %i', (count, goesOn) => {
    const repairs = Array.from({ length: count }, () => '2026-01-02T11:00:00Z').join(' ');
    const facts = { nowMs, target: { pod: 'etcd-1' }, objects: { statefulset: { repairs } } };
    const { turn, told } = turnWith({ facts });

    expect(guardRepairLimit(turn)).toBe(goesOn);
    expect(told.map(({ reason }) => reason)).toEqual(goesOn ? [] : ['RepairLimit']);
  });
});

describe('an amount as Kubernetes writes it', () => {
  it.each([
    ['500m', 0.5],
    ['8Gi', 8 * GIBIBYTE],
    ['2e3', 2000],
    ['1k', 1000],
    ['3', 3],
  ])('%s is %d', (text, value) => {
    expect(quantity(text)).toBe(value);
  });
});
