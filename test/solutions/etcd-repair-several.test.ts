import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../../solutions/etcd-repair/hooks/lib/observe.ts';
import { Outcome } from '../../solutions/etcd-repair/hooks/lib/outcome.ts';
import type { Copy, RepairRecord, State } from '../../solutions/etcd-repair/hooks/lib/record.ts';
import { repairStep } from '../../solutions/etcd-repair/hooks/lib/repair-step.ts';
import { readSettings } from '../../solutions/etcd-repair/hooks/lib/settings.ts';
import type { Turn } from '../../solutions/etcd-repair/hooks/lib/turn.ts';

// No member can be asked over HTTP, so the answer of the leader is fixed: it does not see the member that is down.
vi.mock('../../solutions/etcd-repair/hooks/lib/witness.ts', () => ({
  peersView: async () => ({ isSeen: false, said: 'the leader does not see it' }),
}));

const LONG_AGO = '2026-01-01T00:00:00Z';
const REVISION = 100;

interface Situation {
  /** The record of the repair of etcd-3. */
  readonly planned?: RepairRecord;
  readonly repairs?: string;
  readonly hashes?: Readonly<Record<string, number>>;
  /** The record of the data that etcd-1 gets. */
  readonly copy?: Partial<Copy>;
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-etcd-several-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('of five members two are lost, and the first is out: the second', () => {
  it('is written down with a snapshot of its own, and counts, before it is removed', async () => {
    const { asked, state, repairs } = await run({});

    expect(asked).toEqual(['snapshot']);
    expect(state.next).toMatchObject([{ pod: 'etcd-3', memberID: '4', podUID: 'uid-3', claimUID: 'uid-3' }]);
    expect(state.next[0]?.snapshot).not.toBe(state.repair?.snapshot);
    expect(repairs).toHaveLength(1);
  });

  it('is removed when the snapshot is good', async () => {
    const { asked } = await run({ planned: recordOf({ snapshotAt: justNow() }) });

    expect(asked).toEqual(['remove 4']);
  });

  it('is not removed when the snapshot is another one, nor when it is old: there is a new one first', async () => {
    const startedAt = '2026-01-01T01:00:00Z';
    const other = await run({ planned: recordOf({ snapshotAt: justNow(), snapshotRevision: 7, startedAt }) });
    const old = await run({ planned: recordOf({ snapshotAt: LONG_AGO, startedAt }) });

    for (const { asked, state, repairs } of [other, old]) {
      expect(asked).toEqual(['snapshot']);
      expect(state.next).toMatchObject([{ memberID: '4', startedAt, snapshotRevision: REVISION }]);
      expect(state.next[0]?.snapshotAt).not.toBe(LONG_AGO);
      // The repair was begun, and counted, before.
      expect(repairs).toEqual([]);
    }
  });

  it('stays where 3 members were replaced within a day', async () => {
    const repairs = [justNow(), justNow(), justNow()].join(' ');
    const { asked, state } = await run({ repairs, copy: {} });

    expect(asked).toEqual(['add etcd-1']);
    expect(state).toMatchObject({ next: [], told: 'RepairLimit' });
  });

  it('stays where the others do not hold the same, and nobody is added', async () => {
    const { asked, state } = await run({
      planned: recordOf({ snapshotAt: justNow() }),
      hashes: { 'etcd-0': 8 },
    });

    expect(asked).toEqual([]);
    expect(state.told).toBe('HashesDiffer');
  });
});

describe('a new member of etcd', () => {
  const FULL = [justNow(), justNow(), justNow()].join(' ');

  it.each([
    ['nothing is', undefined],
    ['another leads than', { from: 'etcd-2' }],
    ['an earlier new member is', { instead: '9' }],
  ])('is not added where %s written down as whose data it is given', async (_, copy) => {
    const { asked, state } = await run({ repairs: FULL, ...(copy !== undefined && { copy }) });

    expect(asked).toEqual([]);
    expect(state.copies).toMatchObject({ 'etcd-1': { from: 'etcd-0', instead: '2' } });
  });
});

function justNow(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

function recordOf(fields: Partial<RepairRecord>): RepairRecord {
  return {
    pod: 'etcd-3',
    peerURL: urlOf('etcd-3', 2380),
    memberID: '4',
    podUID: 'uid-3',
    claimUID: 'uid-3',
    since: LONG_AGO,
    startedAt: LONG_AGO,
    snapshot: join(folder, 'before.db'),
    snapshotAt: justNow(),
    snapshotRevision: REVISION,
    step: 'recorded',
    stepAt: justNow(),
    ...fields,
  };
}

function urlOf(pod: string, port: number): string {
  return `http://${pod}.etcd.default.svc:${port}`;
}

/** One run, while etcd-1 is removed and has a new disk, and etcd-3 is lost. */
async function run({ planned, repairs = '', hashes = {}, copy }: Situation) {
  const asked: string[] = [];
  const settings = readSettings({ REPAIR_SNAPSHOT_DIR: folder });
  const etcd = etcdOf(asked, hashes);
  const state = {
    unhealthy: { 'etcd-1': LONG_AGO, 'etcd-3': LONG_AGO },
    repair: recordOf({ pod: 'etcd-1', memberID: '2', podUID: 'old', claimUID: 'old', step: 'wiped' }),
    next: planned === undefined ? [] : [planned],
    copies: copy === undefined ? {} : { 'etcd-1': { from: 'etcd-0', at: justNow(), instead: '2', ...copy } },
  };
  const objects = objectsOf(JSON.stringify(state), repairs);
  const facts = await observe(settings, etcd, objects);
  const written: { readonly path: string; readonly value?: string }[] = [];
  const nothing = (): void => {};
  const outcome = new Outcome(settings, facts, {
    patch: { json: (_: object, changes: typeof written) => written.push(...changes) },
    metric: { set: nothing },
    log: { info: nothing, warn: nothing },
  } as unknown as ConstructorParameters<typeof Outcome>[2]);
  const kubernetes = {
    get: async (path: string) => (path.endsWith('/resourcequotas') ? { items: [] } : STATEFULSET),
    dryRun: async () => ({ status: 409, body: {} }),
  } as unknown as Turn['kubernetes'];
  await repairStep({ settings, etcd, kubernetes, facts, outcome });
  outcome.write();
  const valueOf = (end: string): string => written.findLast(({ path }) => path.endsWith(end))?.value ?? '';
  return {
    asked,
    state: { next: [], ...JSON.parse(valueOf('~1state')) } as State,
    repairs: valueOf('~1repairs')
      .split(' ')
      .filter((time) => time !== ''),
  };
}

const STATEFULSET = { metadata: { name: 'etcd', uid: 'uid' }, spec: { template: { spec: {} } } };

function objectsOf(state: string, repairs: string): Parameters<typeof observe>[2] {
  const updates = { current: 'r', update: 'r', partition: 0, isSeen: true };
  const known = { uid: 'uid', resourceVersion: '1', annotated: true, paused: false, service: 'etcd', claim: 'data' };
  const pods = [0, 1, 2, 3, 4].map((at) => ({
    name: `etcd-${at}`,
    uid: `uid-${at}`,
    deleting: false,
    endsAt: '',
    node: 'node',
    ready: at % 2 === 0,
    containersReady: at % 2 === 0,
    outOfMemory: false,
    waitsFor: '',
    unschedulable: '',
    revision: 'r',
  }));
  return {
    statefulset: { ...known, state, repairs, replicas: 5, updates },
    pods,
    claims: pods.map(({ name, uid }) => ({ name: `data-${name}`, uid, deleting: false })),
    marker: undefined,
    events: [],
  };
}

/** Records the changes it is asked for. Member 2 is removed, and member 4 does not answer. */
function etcdOf(asked: string[], hashes: Readonly<Record<string, number>>): Turn['etcd'] {
  const podOf = (endpoint: string): string => new URL(endpoint).hostname.split('.')[0] ?? '';
  const members = [0, 2, 3, 4].map((at) => ({
    id: String(at + 1),
    name: `etcd-${at}`,
    peerUrls: [urlOf(`etcd-${at}`, 2380)],
    isLearner: false,
  }));
  const answers = {
    signal: new AbortController().signal,
    status: async (endpoint: string) => {
      const member = members.find(({ name }) => name === podOf(endpoint));
      if (member === undefined || member.name === 'etcd-3') throw new Error('connection refused');
      const known = { leader: '1', term: 2, revision: REVISION, databaseBytes: 0, isLearner: false, errors: [] };
      return { memberId: member.id, ...known };
    },
    members: async () => members,
    alarms: async () => ({ corrupt: [], noSpace: [] }),
    hashAt: async (endpoint: string) => ({ endpoint, hash: hashes[podOf(endpoint)] ?? 7, compactRevision: 0 }),
    saveSnapshot: async (_: string, file: string) => {
      asked.push('snapshot');
      writeFileSync(file, '');
    },
    snapshotRevision: async () => REVISION,
    removeMember: async (_: unknown, id: string) => void asked.push(`remove ${id}`),
    addLearner: async (_: unknown, name: string) => void asked.push(`add ${name}`),
  };
  return answers as unknown as Turn['etcd'];
}
