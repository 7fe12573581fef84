import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VoterData } from '../../solutions/etcd-repair/hooks/lib/hashes.ts';
import type { Answer } from '../../solutions/etcd-repair/hooks/lib/kubernetes.ts';
import { judgeLoss, type LossQuestion, type SeenPod } from '../../solutions/etcd-repair/hooks/lib/lost.ts';
import { couldBeMade } from '../../solutions/etcd-repair/hooks/lib/made-anew.ts';
import { newSnapshot, snapshotFault } from '../../solutions/etcd-repair/hooks/lib/new-snapshot.ts';
import { judgeData, type DataQuestion } from '../../solutions/etcd-repair/hooks/lib/same-data.ts';
import { solutionsDir } from '../support/solutions.ts';

const root = join(solutionsDir, 'etcd-repair');
const nowMs = Date.parse('2026-01-02T12:00:00Z');

describe('the library of etcd steps', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, section = ''] = readme.split('## The library of etcd steps');
  const doors = [...section.matchAll(/\]\(hooks\/lib\/([\w-]+\.ts)\)/g)].map(([, file = '']) => file);
  const importsOf = (file: string): readonly string[] =>
    [...readFileSync(join(root, 'hooks', 'lib', file), 'utf8').matchAll(/from '([^']+)'/g)].map(
      ([, from = '']) => from,
    );

  it('has doors that need nothing of the hook: neither its settings, its record, nor its turns', () => {
    const foreign = doors.flatMap((door) =>
      importsOf(door)
        .filter((from) => !from.startsWith('node:') && !doors.includes(from.replace('./', '')))
        .map((from) => `${door} imports ${from}`),
    );

    expect(doors.length).toBeGreaterThan(15);
    expect(foreign).toEqual([]);
  });
});

describe('the data of the members that stay', () => {
  const hash = (pod: string, value: number | undefined, compactRevision = 3): VoterData => ({
    pod,
    hash: value,
    compactRevision,
    error: value === undefined ? 'too slow' : '',
  });
  const judge = (voters: readonly VoterData[], rest: Partial<DataQuestion> = {}, silent: readonly string[] = []) => {
    const pods = voters.map(({ pod }) => ({
      pod,
      endpoint: pod,
      member: { isLearner: false },
      status: silent.includes(pod) ? undefined : { memberId: pod },
      error: '',
    }));
    const comparison = { revision: 7, voters };
    return judgeData({ comparison, facts: { pods, leader: 'a' }, voters: voters.length, ...rest });
  };

  it.each([
    ['same', 'all gave one hash', judge([hash('a', 1), hash('b', 1), hash('c', 1)])],
    ['different', 'one gave another', judge([hash('a', 1), hash('b', 1), hash('c', 2)])],
    [
      'same',
      'only the one that leaves gave another',
      judge([hash('a', 1), hash('b', 1), hash('c', 2)], { leaving: 'c' }),
    ],
    ['unknown', 'one that answers gave none', judge([hash('a', 1), hash('b', 1), hash('c', undefined)])],
    ['same', 'one that is down gave none', judge([hash('a', 1), hash('b', 1), hash('c', undefined)], {}, ['c'])],
    ['unknown', 'they are compacted at two revisions', judge([hash('a', 1, 2), hash('b', 1), hash('c', 1)])],
    [
      'unknown',
      'those that gave one are no majority of all voters',
      judge([hash('a', 1), hash('b', undefined), hash('c', undefined)], {}, ['b', 'c']),
    ],
    [
      'unfounded',
      'the accused one holds what all hold',
      judge([hash('a', 1), hash('b', 1), hash('c', 1)], { leaving: 'c', accused: 'c' }),
    ],
    [
      'same',
      'the accused one alone differs',
      judge([hash('a', 1), hash('b', 1), hash('c', 2)], { leaving: 'c', accused: 'c' }),
    ],
    [
      'same',
      'the accused one gives none',
      judge([hash('a', 1), hash('b', 1), hash('c', undefined)], { leaving: 'c', accused: 'c' }),
    ],
  ])('is %s where %s', (verdict, _, judged) => {
    expect(judged).toBe(verdict);
  });
});

describe('a member that does not answer', () => {
  const POD: SeenPod = {
    name: 'etcd-1',
    node: 'node-1',
    deleting: false,
    endsAt: '',
    ready: false,
    containersReady: false,
  };
  const judge = async (pod: Partial<SeenPod>, peers: LossQuestion['peers'] = { pods: [], leader: '' }) => {
    const target = { pod: 'etcd-1', member: { id: '2' }, error: 'connection refused' };
    const question = { target, targetPod: { ...POD, ...pod }, peers, nowMs };
    return judgeLoss(question, { timeoutMs: 1000, signal: new AbortController().signal });
  };
  const secondsAgo = (seconds: number): string => new Date(nowMs - 1000 * seconds).toISOString();

  it('is held where its node no longer reports its Pod, and where the end of its Pod is overdue by a minute', async () => {
    const silent = await judge({ containersReady: true });
    const overdue = await judge({ deleting: true, endsAt: secondsAgo(61) });

    expect([silent, overdue]).toMatchObject([
      { is: 'held', reason: 'NodeLost', message: expect.stringContaining('The node node-1 no longer reports etcd-1') },
      { is: 'held', reason: 'NodeLost', message: expect.stringContaining('has not confirmed the end of etcd-1') },
    ]);
  });

  it('is waited for while its Pod ends in time', async () => {
    expect(await judge({ deleting: true, endsAt: secondsAgo(59) })).toEqual({ is: 'ending' });
  });

  it('is held where it leads, and where no leader can be asked', async () => {
    const follower = { pod: 'etcd-0', member: { id: '1' }, endpoint: 'http://etcd-0:2379', answers: true };

    expect(await judge({}, { pods: [follower], leader: '2' })).toMatchObject({ is: 'held', reason: 'SeenByOthers' });
    expect(await judge({}, { pods: [follower], leader: '' })).toMatchObject({ is: 'held', reason: 'WitnessUnknown' });
  });
});

describe('a snapshot', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hooklet-new-snapshot-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Saves files that end at a revision, of a member that was compacted at another. */
  const handsAt = (revision: number, compactRevision = 1, fails?: string) => ({
    settings: { snapshotDir: folder, namespace: 'db', statefulset: 'etcd', snapshotsKept: 2, snapshotTimeoutMs: 1000 },
    nowMs: Date.now(),
    etcd: {
      saveSnapshot: async (_: string, file: string): Promise<void> => {
        writeFileSync(file, String(revision));
        if (fails !== undefined) throw new Error(fails);
      },
      snapshotRevision: async (file: string): Promise<number> => Number(readFileSync(file, 'utf8')),
      hashes: async (endpoints: readonly string[]) =>
        endpoints.map((endpoint) => ({ endpoint, hash: 1, compactRevision })),
    },
  });
  const source = { endpoint: 'http://etcd-0:2379', databaseBytes: 1, revision: 9 };

  it('holds what was there when it began, or nothing of it is kept', async () => {
    await expect(newSnapshot(handsAt(8), source)).rejects.toThrow(
      'the snapshot ends at revision 8, but the cluster was at 9 already',
    );
    await expect(newSnapshot(handsAt(9, 1, 'connection reset'), source)).rejects.toThrow('connection reset');
    expect(readdirSync(folder)).toEqual([]);

    const made = await newSnapshot(handsAt(9), source);

    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([made.file]);
    expect(made.revision).toBe(9);
  });

  it('may end before that where all later was compacted away', async () => {
    expect(await newSnapshot(handsAt(8, 9), source)).toMatchObject({ revision: 8 });
  });

  it('is no way back when it is too old, of the future, another one, or cannot be read', async () => {
    const made = await newSnapshot(handsAt(9), source);
    const fault = async (ageMs: number, change: object = {}) =>
      snapshotFault({ ...handsAt(9), nowMs: made.atMs + ageMs, maxAgeMs: 1000 }, { ...made, ...change });

    expect(await fault(1000)).toBeUndefined();
    expect(await fault(1001)).toBe('it is too old');
    expect(await fault(-1)).toBe('it is too old');
    expect(await fault(0, { revision: 8 })).toBe('it is another one: it ends at revision 9, not at 8');
    expect(await fault(0, { file: join(folder, 'none') })).toContain('no such file');
  });
});

const ANSWERS: readonly {
  readonly is: string;
  readonly where: string;
  readonly answer: Answer;
  readonly had?: true;
}[] = [
  { is: 'possible', where: 'is taken', answer: { status: 201, body: {} } },
  { is: 'possible', where: 'is there already', answer: { status: 409, body: { message: 'already exists' } } },
  {
    is: 'possible',
    where: 'fills the quota that the old one frees',
    answer: { status: 403, body: { message: 'exceeded quota: pods' } },
    had: true,
  },
  {
    is: 'refused',
    where: 'exceeds the quota, and no old one is there',
    answer: { status: 403, body: { message: 'exceeded quota: pods' } },
  },
  { is: 'refused', where: 'is denied', answer: { status: 403, body: { message: 'denied by a policy' } }, had: true },
  {
    is: 'forbidden',
    where: 'may not be asked for',
    answer: { status: 403, body: { message: 'User "x" cannot create resource "pods"' } },
  },
  {
    is: 'unknown',
    where: 'meets a webhook that has effects',
    answer: { status: 400, body: { message: 'webhook "x" does not support dry run' } },
  },
];

it.each(ANSWERS)('a Pod that would be made anew is $is where it $where', async ({ is, answer, had = false }) => {
  const place = { kubernetes: { dryRun: async () => answer }, namespace: 'db', quotas: [] };

  expect((await couldBeMade(place, { plural: 'pods', object: {}, isThere: had })).is).toBe(is);
});
