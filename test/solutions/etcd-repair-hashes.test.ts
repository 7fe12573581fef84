import { expect, it } from 'vitest';
import type { MemberHash, Status } from '../../solutions/etcd-repair/hooks/lib/etcd.ts';
import { compareVoters, silentVoters, tableOf } from '../../solutions/etcd-repair/hooks/lib/hashes.ts';
import type { PodMember } from '../../solutions/etcd-repair/hooks/lib/view.ts';

const AT = 7;
const { signal } = new AbortController();

function status(id: string, revision: number): Status {
  return { memberId: id, leader: '1', term: 2, revision, databaseBytes: 0, isLearner: false, errors: [] };
}

/** A voter; one without a revision does not answer. */
function voter(id: string, revision: number | undefined): PodMember {
  const pod = `etcd-${id}`;
  const member = { id, name: pod, peerUrls: [`http://${pod}:2380`], isLearner: false };
  const isThere = revision !== undefined;
  return {
    pod,
    peerUrl: `http://${pod}:2380`,
    endpoint: pod,
    member,
    status: isThere ? status(id, revision) : undefined,
    error: isThere ? '' : 'connection refused',
    answers: isThere,
    isWell: isThere,
  };
}

/** Answers with `hashOf`, and records which members were asked at which revision, in order. */
function etcdOf(hashOf: (pod: string, revision: number) => Partial<MemberHash>) {
  const asked: string[] = [];
  return {
    asked,
    etcd: {
      signal,
      status: async (endpoint: string) => status(endpoint.slice(-1), AT + Number(endpoint.slice(-1))),
      hashAt: async (endpoint: string, revision: number) => {
        asked.push(`${endpoint} ${revision}`);
        return { endpoint, hash: 1, compactRevision: 3, ...hashOf(endpoint, revision) };
      },
    },
  };
}

it('asks all who answer at the lowest of their revisions, one after the other and the leader last', async () => {
  const { etcd, asked } = etcdOf(() => ({}));
  const facts = { leader: '1', pods: [voter('1', 8), voter('2', 9), voter('3', undefined)] };

  const found = await compareVoters({ etcd, facts });

  expect(asked).toEqual(['etcd-2 8', 'etcd-1 8']);
  expect(tableOf(found)).toBe(
    'etcd-1 has hash 1 (compacted at 3), etcd-2 has hash 1 (compacted at 3), etcd-3 gave none: connection refused',
  );
  expect(silentVoters(found, facts)).toEqual([]);
});

it('asks again where a member was behind, and believes what it says then', async () => {
  let isBehind = true;
  const { etcd } = etcdOf((pod) => {
    if (pod !== 'etcd-2' || !isBehind) return {};
    isBehind = false;
    throw new Error('required revision is a future revision');
  });
  const facts = { leader: '1', pods: [voter('1', 8), voter('2', 9), voter('3', 10)] };

  const found = await compareVoters({ etcd, facts });

  expect(found.voters.map(({ hash }) => hash)).toEqual([1, 1, 1]);
});

it('names who gives no hash though it answers, after the third time', async () => {
  const { etcd, asked } = etcdOf((pod) => {
    if (pod === 'etcd-3') throw new Error('too slow');
    return {};
  });
  const facts = { leader: '1', pods: [voter('1', 8), voter('2', 9), voter('3', 10)] };

  const found = await compareVoters({ etcd, facts });

  expect(silentVoters(found, facts)).toEqual([
    { pod: 'etcd-3', hash: undefined, compactRevision: 0, error: 'too slow' },
  ]);
  expect(asked.filter((one) => one.startsWith('etcd-3'))).toHaveLength(3);
});
