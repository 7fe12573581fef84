import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RepairRecord, State } from '../../solutions/etcd-repair/hooks/lib/record.ts';
import type { DefinitionResult, RunnableHook } from '../../src/sdk/define-hook.ts';
import { startPodAccount, type PodAccount } from './pod-account.ts';

// No member can be asked over HTTP, so the answer of the leader is fixed: it does not see the member that is down.
vi.mock('../../solutions/etcd-repair/hooks/lib/witness.ts', () => ({
  peersView: async () => ({ isSeen: false, said: 'the leader does not see it' }),
}));

const LONG_AGO = '2026-01-01T00:00:00Z';
/** The present time, read when a test runs: how long earlier tests took must not matter. */
const justNow = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** Answers queries from files in `$ETCD_ANSWERS`, and accepts every change. */
const ETCDCTL = `#!/bin/sh
case "$*" in
  *'endpoint status'*) pod=\${2#*//}; file=status-\${pod%%.*} ;;
  *'member list'*) file=members ;;
  *'alarm list'*) file=alarms ;;
  *'endpoint hashkv'*) pod=\${2#*//}; file=hash-\${pod%%.*} ;;
  *'snapshot save'*) for last; do :; done; : > "$last"; exit ;;
  *) exit ;;
esac
[ -e "$ETCD_ANSWERS/$file" ] || { echo 'Error: no answer' >&2; exit 1; }
cat "$ETCD_ANSWERS/$file"
`;
const PROGRAMS = {
  etcdctl: ETCDCTL,
  etcdutl: `#!/bin/sh\necho '{"revision":100}'\n`,
};

/** The state of the member of etcd-1. Those of etcd-0 and etcd-2 are healthy, and 2 is its id before it is replaced. */
interface Member {
  readonly id: number;
  readonly isLearner?: true;
  readonly isSilent?: true;
  /** The hash of its data; that of the others is 7. */
  readonly hash?: number;
}

const SILENT = { isSilent: true } as const;

interface Situation {
  readonly title: string;
  readonly member?: Member;
  /**
   * Changes to the record of a repair that replaces member 2 of etcd-1 and has just begun; without them no repair is
   * under way.
   */
  readonly record?: Partial<RepairRecord>;
  readonly paused?: true;
  readonly replicas?: number;
  /** Besides etcd-1, only etcd-0 answers. */
  readonly isWithoutQuorum?: true;
  /** Whether this run deletes claim and Pod. */
  readonly isWiped?: true;
  /** The Event with which this run ends the repair, if it does. */
  readonly end?: string;
  /** Another Event of this run. */
  readonly told?: string;
}

const SITUATIONS: readonly Situation[] = [
  { title: 'a repair begins', member: { id: 2, isSilent: true }, told: 'RepairStarted' },
  { title: 'the old member is down', member: { id: 2, isSilent: true }, record: {} },
  { title: 'the old member is well again', member: { id: 2 }, record: {}, end: 'Recovered' },
  { title: 'there is no member', record: { step: 'removed' } },
  {
    title: 'the learner is silent for a moment',
    member: { id: 4, isLearner: true, isSilent: true },
    record: { step: 'added' },
  },
  {
    title: 'the learner is silent for long',
    member: { id: 4, isLearner: true, isSilent: true },
    record: { step: 'added', stepAt: LONG_AGO },
    told: 'JoinFailed',
  },
  { title: 'the learner answers', member: { id: 4, isLearner: true }, record: { step: 'added' } },
  { title: 'the new member is well', member: { id: 4 }, record: { step: 'promoted' }, end: 'Repaired' },
  {
    title: 'a learner that was given up is a voter',
    member: { id: 2 },
    record: { attempt: 1 },
    end: 'Repaired',
  },
  {
    title: 'the new member has other data',
    member: { id: 4, hash: 8 },
    record: { step: 'promoted' },
    told: 'HashesDiffer',
  },
  {
    title: 'somebody has added a member that votes, and has the old disk',
    member: { id: 4 },
    record: { step: 'removed', podUID: 'new', claimUID: 'new' },
    end: 'Repaired',
  },
  {
    title: 'somebody has added a learner that has the old disk',
    member: { id: 4, isLearner: true, isSilent: true },
    record: { step: 'removed', podUID: 'new', claimUID: 'new' },
  },
  {
    title: 'nobody is added, and the old disk is there',
    record: { step: 'removed', podUID: 'new', claimUID: 'new' },
    isWiped: true,
  },
  { title: 'the new member is down for a moment', member: { id: 4, isSilent: true }, record: { step: 'promoted' } },
  {
    title: 'the new member is down for long',
    member: { id: 4, isSilent: true },
    record: { step: 'promoted', stepAt: LONG_AGO },
    end: 'NotVerified',
  },
  { title: 'the Pod is no longer wanted', member: { id: 2 }, record: { pod: 'etcd-3' }, end: 'Abandoned' },
  { title: 'only one Pod is wanted', member: { id: 2 }, record: {}, replicas: 1, end: 'Abandoned' },
  {
    title: 'quorum is lost',
    member: { id: 2, isSilent: true },
    record: {},
    isWithoutQuorum: true,
    told: 'QuorumLost',
  },
  { title: 'it is paused', member: { id: 2 }, record: {}, paused: true, told: 'Paused' },
];

let folder: string;
let hook: RunnableHook;
let account: PodAccount;

const STATEFULSET = { metadata: { name: 'etcd', uid: 'uid' }, spec: { template: { spec: {} } } };

/** Every Pod and claim can be created again. */
function apiAnswer(request: string): readonly [status: number, body: object] {
  if (request.includes('?dryRun=All')) return [409, { message: 'already exists' }];
  return [200, request.endsWith('/resourcequotas') ? { items: [] } : STATEFULSET];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-etcd-ends-'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(programs, name), text, { mode: 0o755 });
  vi.stubEnv('PATH', [programs, process.env['PATH']].join(delimiter));
  vi.stubEnv('REPAIR_SNAPSHOT_DIR', folder);
  account = await startPodAccount(folder, apiAnswer);
  for (const [name, value] of Object.entries(account.env)) vi.stubEnv(name, value);
  // Members that do not answer fail at once, so this limit is never reached.
  vi.stubEnv('ETCD_TIMEOUT_SECONDS', '60');
  hook = (await import('../../solutions/etcd-repair/hooks/etcd-repair.ts')).default;
});

afterAll(() => {
  vi.unstubAllEnvs();
  account[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the hook, and returns the patches it wrote. */
async function writtenBy(contexts: readonly unknown[]): Promise<Written> {
  const { patch, error } = await execute(contexts);
  expect(error).toBeUndefined();
  return readPatch(patch);
}

async function execute(contexts: readonly unknown[]): Promise<DefinitionResult> {
  const silent = (): void => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return hook.execute(contexts, { log, signal: new AbortController().signal });
}

describe('a repair of etcd members', () => {
  it.each(SITUATIONS)('ends with one Event or goes on, when $title', async (situation) => {
    const before = stateOf(situation);
    vi.stubEnv('ETCD_ANSWERS', answersOf(situation));

    const decided = await writtenBy(contextsOf(situation, before));

    const after = decided.state ?? before;
    const wanted = [situation.end, situation.told].filter((reason) => reason !== undefined);
    // No Event is written before it is persisted in the state.
    expect(decided.told).toEqual([]);
    expect(after.news?.map(({ reason }) => reason) ?? []).toEqual(wanted);
    expect(after.repair === undefined).toBe(situation.end !== undefined);
    expect(decided.deleted).toEqual(situation.isWiped === true ? ['data-etcd-1', 'etcd-1'] : []);
  });

  it('takes no member to be down because etcdctl or etcdutl is not on the PATH', async () => {
    const situation: Situation = { title: '', member: { id: 2 } };
    vi.stubEnv('ETCD_ANSWERS', answersOf(situation));
    const path = process.env['PATH'];
    vi.stubEnv('PATH', '/nowhere');

    const { patch, error } = await execute(contextsOf(situation, {}));
    vi.stubEnv('PATH', path);

    expect(error).toEqual(new Error('not on the PATH /nowhere: etcdctl, etcdutl; see the Dockerfile of the solution'));
    expect(patch).toBe('');
  });

  it('tells what the run before has kept until it is seen, under one name', async () => {
    const situation: Situation = { title: '', member: { id: 4 } };
    const news = { name: 'etcd.1', type: 'Normal', reason: 'Repaired', message: 'done', at: justNow() } as const;
    vi.stubEnv('ETCD_ANSWERS', answersOf(situation));

    const untold = await writtenBy(contextsOf(situation, { news: [news] }));
    const seen = await writtenBy(contextsOf(situation, { news: [news] }, [news.name]));

    expect(untold).toEqual({ told: ['Repaired'], deleted: [], state: undefined });
    expect(seen).toEqual({ told: [], deleted: [], state: {} });
  });
});

function stateOf({ member, record, isWithoutQuorum }: Situation): Partial<State> {
  const unhealthy = {
    ...(member?.isSilent === true && { 'etcd-1': LONG_AGO }),
    ...(isWithoutQuorum === true && { 'etcd-2': LONG_AGO }),
  };
  if (record === undefined) return { unhealthy };
  const begun: RepairRecord = {
    pod: 'etcd-1',
    peerURL: peerUrl('etcd-1'),
    memberID: '2',
    podUID: 'old',
    claimUID: 'old',
    since: LONG_AGO,
    startedAt: justNow(),
    snapshot: '',
    snapshotAt: justNow(),
    snapshotRevision: 100,
    step: 'recorded',
    stepAt: justNow(),
  };
  return { unhealthy, repair: { ...begun, ...record } };
}

/** The contexts of a run; `events` are the names of existing Events. */
function contextsOf(
  { paused, replicas = 3 }: Situation,
  state: Partial<State>,
  events: readonly string[] = [],
): readonly unknown[] {
  const text = Object.keys(state).length === 0 ? '' : JSON.stringify(state);
  const updates = { current: 'r', update: 'r', partition: 0, isSeen: true };
  const spec = { annotated: true, paused: paused === true, replicas, updates };
  const set = { uid: 'uid', resourceVersion: '1', state: text, repairs: '', ...spec };
  const isDown = { endsAt: '', node: 'node-1', ready: false, containersReady: false };
  const pod = { ...isDown, outOfMemory: false, waitsFor: '', unschedulable: '', revision: 'r' };
  const snapshots = {
    statefulset: [{ filterResult: { ...set, service: 'etcd', claim: 'data' } }],
    pods: [{ filterResult: { name: 'etcd-1', uid: 'new', deleting: false, ...pod } }],
    claims: [{ filterResult: { name: 'data-etcd-1', uid: 'new', deleting: false } }],
    marker: [{ filterResult: { state: 'existing' } }],
    events: events.map((filterResult) => ({ filterResult })),
  };
  return [{ binding: 'pods', type: 'Group', groupName: 'etcd-repair', snapshots }];
}

/** Writes the answers of etcd to files, and returns their folder. */
function answersOf({ member, isWithoutQuorum }: Situation): string {
  const answers = mkdtempSync(join(folder, 'answers-'));
  const write = (name: string, answer: unknown): void => writeFileSync(join(answers, name), JSON.stringify(answer));
  const own = member === undefined ? [] : [{ pod: 'etcd-1', ...member }];
  const all: readonly (Member & { readonly pod: string })[] = [
    { pod: 'etcd-0', id: 1 },
    ...own,
    { pod: 'etcd-2', id: 3, ...(isWithoutQuorum === true && SILENT) },
  ];
  for (const { pod, id, isSilent, isLearner, hash = 7 } of all) {
    if (isSilent === true) continue;
    const header = { member_id: id, revision: 100 };
    write(`status-${pod}`, [{ Status: { header, leader: 1, raftTerm: 2, isLearner } }]);
    write(`hash-${pod}`, [{ Endpoint: pod, HashKV: { hash } }]);
  }
  if (isWithoutQuorum === true) return answers;
  const listed = all.map(({ pod, id, isLearner }) => ({ ID: id, name: pod, peerURLs: [peerUrl(pod)], isLearner }));
  write('members', { members: listed });
  write('alarms', {});
  return answers;
}

function peerUrl(pod: string): string {
  return `http://${pod}.etcd.default.svc:2380`;
}

interface Written {
  /** Reasons of the created Events. */
  readonly told: readonly string[];
  /** Names of the deleted claims and Pods. */
  readonly deleted: readonly string[];
  /** Undefined when the state is not changed. */
  readonly state: Partial<State> | undefined;
}

function readPatch(text: string): Written {
  const operations = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Operation);
  const change = operations
    .flatMap(({ jsonPatch = [] }) => jsonPatch)
    .find(({ op, path }) => op !== 'test' && path.endsWith('~1state'));
  const told = operations.map(({ object }) => object?.reason).filter((reason) => reason !== undefined);
  const state = change && (JSON.parse(change.value ?? '{}') as Partial<State>);
  const deleted = operations.filter(({ operation }) => operation.startsWith('Delete')).map(({ name = '' }) => name);
  return { told, deleted, state };
}

interface Operation {
  readonly operation: string;
  readonly name?: string;
  readonly object?: { readonly reason?: string };
  readonly jsonPatch?: readonly { readonly op: string; readonly path: string; readonly value?: string }[];
}
