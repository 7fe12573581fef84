import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import type { Condition } from '../../src/hook/result.ts';
import { createCluster } from '../../src/kube/credentials/cluster.ts';
import { condition, startStatusRig, type ReadObject, type StatusRig } from '../support/status-rig.ts';
import { statusSuite } from '../support/status-suite.ts';

const ready = condition('Ready', 'True');

statusSuite(async () => clusterOf(await sandboxForTest({ anonymous: true })));

describe('under faults', () => {
  let sandbox: Sandbox;
  let rig: StatusRig;

  beforeEach(async () => {
    sandbox = await sandboxForTest({ anonymous: true });
    rig = await startStatusRig(clusterOf(sandbox));
    await rig.make('Mapped');
    rig.sent();
  });

  it('a server that is busy or in trouble for a moment gets the status in the end', async () => {
    sandbox.faults.add({ type: 'status', code: 429, retryAfterSeconds: 0, method: 'PATCH', times: 1 });
    sandbox.faults.add({ type: 'status', code: 500, method: 'PATCH', times: 1 });
    sandbox.faults.add({ type: 'hangUp', method: 'PATCH', times: 1 });

    expect(await rig.write('Mapped', { conditions: [ready] })).toMatchObject({ type: 'written' });
    expect((await rig.read('Mapped')).status?.conditions).toMatchObject([{ type: 'Ready' }]);
  });

  it('a write whose answer was lost is known by what it wrote, and not repeated', async () => {
    const { metadata } = await rig.read('Mapped');
    sandbox.faults.add({ type: 'hangUp', afterBytes: 1, method: 'PATCH', times: 1 });

    const outcome = await rig.write('Mapped', { conditions: [ready], status: { phase: 'Up' } });

    const { metadata: after } = await rig.read('Mapped');
    expect(outcome).toEqual({
      type: 'written',
      before: metadata['resourceVersion'],
      after: after['resourceVersion'],
    });
    expect(rig.sent()).toEqual(['GET a', 'PATCH status', 'GET a']);
  });

  it('a write whose answer was lost is not taken for the change of somebody else after it', async () => {
    sandbox.faults.add({ type: 'hangUp', afterBytes: 1, method: 'PATCH', times: 1 });
    rig.meddling.before = async (number) => {
      if (number === 3) await rig.patch({ kind: 'Mapped' }, { spec: { a: 2 } });
    };

    expect(await rig.write('Mapped', { conditions: [ready] })).toEqual({ type: 'unchanged' });
    expect(rig.sent()).toEqual(['GET a', 'PATCH status', 'GET a']);
  });

  it.each([
    ['is refused', { type: 'status', code: 500, method: 'PATCH', times: 1 }],
    ['has its answer lost', { type: 'hangUp', afterBytes: 1, method: 'PATCH', times: 1 }],
  ] as const)('of two writes the first is known where the second one %s', async (_, fault) => {
    await rig.write('Mapped', { status: { detail: { a: '1' } } });
    const { metadata } = await rig.read('Mapped');
    const versions: unknown[] = [];
    let sent = 0;
    rig.meddling.before = async () => {
      sent += 1;
      // A read, what the server refuses, the first write, and the second one.
      if (sent !== 4) return;
      versions.push((await rig.read('Mapped')).metadata['resourceVersion']);
      sandbox.faults.add(fault);
    };

    const outcome = await rig.write('Mapped', { status: { detail: {} } });

    const { metadata: after } = await rig.read('Mapped');
    expect(versions).not.toEqual([metadata['resourceVersion']]);
    expect(outcome).toEqual({
      type: 'written',
      before: metadata['resourceVersion'],
      between: versions[0],
      after: after['resourceVersion'],
    });
  });

  it('a server that stays away fails the write with its error', async () => {
    sandbox.faults.add({ type: 'hangUp', method: 'PATCH' });

    expect(await rig.write('Mapped', { conditions: [ready] })).toMatchObject({ type: 'failed' });
    expect(rig.sent().filter((request) => request === 'PATCH status')).toHaveLength(4);
  });

  it('a refusal of the conditions too says that nothing was written', async () => {
    sandbox.faults.add({ type: 'status', code: 422, method: 'PATCH' });

    const outcome = await rig.write('Mapped', { conditions: [ready], status: { phase: 'Up' } });

    expect(outcome).toMatchObject({
      type: 'failed',
      message: expect.stringMatching(/^neither conditions nor status were written: /),
    });
    expect(rig.sent().filter((request) => request === 'PATCH status')).toHaveLength(2);
  });

  it('a refusal by rights names the missing rules', async () => {
    sandbox.faults.add({ type: 'status', code: 403, method: 'PATCH' });

    const outcome = await rig.write('Mapped', { conditions: [ready] });

    expect(outcome).toMatchObject({
      type: 'failed',
      message: expect.stringContaining(
        '{apiGroups: ["status.example.com"], resources: [mappeds/status], verbs: [patch]}',
      ),
    });
  });
});

describe('bad input', () => {
  it.each([
    {
      title: 'more than 100 conditions',
      wanted: { conditions: Array.from({ length: 101 }, (_, index) => condition(`C${index}`, 'True')) },
      message: 'conditions: received 101, expected at most 100: write fewer of them',
    },
    {
      title: 'a type twice',
      wanted: { conditions: [ready, ready] },
      message: 'conditions: Ready is given twice, expected each type once',
    },
    {
      title: 'conditions in the status',
      wanted: { status: { conditions: [] } },
      message: 'status.conditions: write `conditions` beside `status` instead',
    },
    {
      title: 'a status of more than 256 KiB',
      wanted: { status: { detail: { a: 'x'.repeat(256 * 1024) } } },
      message: expect.stringMatching(/^status: has \d+ bytes as JSON, expected at most 262144: write less into it$/),
    },
  ])('$title is refused, and nothing is written', async ({ wanted, message }) => {
    const rig = await startStatusRig(clusterOf(await sandboxForTest({ anonymous: true })));
    await rig.make('Mapped');
    rig.sent();

    expect(await rig.write('Mapped', wanted)).toMatchObject({ type: 'failed', message });
    expect(rig.sent().filter((request) => request !== 'GET a')).toEqual([]);
  });

  it('a kind that is not there, and an object without its namespace', async () => {
    const rig = await startStatusRig(clusterOf(await sandboxForTest({ anonymous: true })));

    expect(await rig.write('Nothing', { conditions: [ready] })).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('Nothing'),
    });
    expect(await rig.write('Mapped', { conditions: [ready] }, { namespace: '' })).toMatchObject({
      message: 'Mapped is a namespaced kind, expected the namespace of the object',
    });
  });
});

describe('any sequence of results', () => {
  const status = fc.constantFrom<Condition['status']>('True', 'False', 'Unknown');
  const result = fc.record({
    kind: fc.constantFrom('Mapped', 'Listed'),
    conditions: fc.dictionary(fc.constantFrom('Ready', 'Synced', 'Healthy'), status, { maxKeys: 3 }),
    phase: fc.constantFrom(undefined, null, 'Up', 'Down'),
    isMeddled: fc.boolean(),
    elapsedMs: fc.constantFrom(0, 5000),
  });

  it('gives one write for a change and none without, and touches nothing of others', async () => {
    const rig = await startStatusRig(clusterOf(await sandboxForTest({ anonymous: true })));
    await rig.make('Mapped');
    await rig.make('Listed');
    await fc.assert(
      fc.asyncProperty(fc.array(result, { maxLength: 8 }), async (results) => {
        for (const one of results) await giveResult(rig, one);
      }),
      { numRuns: 30 },
    );
  });
});

interface GivenResult {
  readonly kind: string;
  readonly conditions: Readonly<Record<string, Condition['status']>>;
  readonly phase: string | null | undefined;
  /** Whether somebody else writes the object before. */
  readonly isMeddled: boolean;
  readonly elapsedMs: number;
}

/** Gives one result, and checks what came of it. */
async function giveResult(rig: StatusRig, given: GivenResult): Promise<void> {
  const { kind, phase } = given;
  await meddle(rig, given);
  const wanted = {
    conditions: Object.entries(given.conditions).map(([type, status]) => condition(type, status)),
    ...(phase !== undefined && { status: { phase } }),
  };
  const before = await rig.read(kind);
  rig.sent();

  const outcome = await rig.write(kind, wanted);

  const after = await rig.read(kind);
  const isChanged = before.metadata['resourceVersion'] !== after.metadata['resourceVersion'];
  expect(rig.sent()).toEqual(isChanged ? ['GET a', 'PATCH status'] : ['GET a']);
  expect(outcome.type).toBe(isChanged ? 'written' : 'unchanged');
  expect(isChanged).toBe(JSON.stringify(before.status) !== JSON.stringify(after.status));
  const conditions = wanted.conditions.map((one) => expect.objectContaining(one));
  expect(after.status?.conditions ?? []).toEqual(expect.arrayContaining(conditions));
  expect(theirsIn(after)).toEqual(theirsIn(before));
  if (phase !== undefined) expect(after.status?.['phase']).toBe(phase ?? undefined);
}

async function meddle(rig: StatusRig, { kind, isMeddled, elapsedMs }: GivenResult): Promise<void> {
  rig.clock.nowMs += elapsedMs;
  if (!isMeddled) return;
  await rig.patch({ kind }, { metadata: { annotations: { time: crypto.randomUUID() } } });
  if (kind === 'Mapped') await rig.apply(kind, { conditions: [condition('Theirs', 'True')] });
}

function theirsIn({ status }: ReadObject): readonly unknown[] {
  return (status?.conditions ?? []).filter(({ type }) => type === 'Theirs');
}

function clusterOf({ url }: Sandbox) {
  return createCluster({ name: 'sandbox', server: new URL(url) }, []);
}
