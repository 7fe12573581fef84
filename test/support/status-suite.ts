import { beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { condition, GROUP, startStatusRig, type StatusRig } from './status-rig.ts';

const ready = condition('Ready', 'True');
const START = '2026-01-05T03:00:00Z';

/** The required results of a write of a status on every API server; each test has its own namespace. */
export function statusSuite(findCluster: () => Promise<Cluster>): void {
  describe('a status that is written', () => {
    let rig: StatusRig;

    beforeEach(async () => {
      rig = await startStatusRig(await findCluster());
    });

    it('has the conditions with observedGeneration and lastTransitionTime, and the further fields', async () => {
      await rig.make('Mapped');

      const outcome = await rig.write('Mapped', { conditions: [ready], status: { phase: 'Up' } }, { generation: 1 });

      const { metadata, status } = await rig.read('Mapped');
      expect(outcome).toEqual({ type: 'written', before: expect.any(String), after: metadata['resourceVersion'] });
      expect(status).toEqual({
        conditions: [{ ...ready, observedGeneration: 1, lastTransitionTime: START }],
        observedGeneration: 1,
        phase: 'Up',
      });
    });

    it('is written once for a change, and nothing is sent when nothing differs', async () => {
      await rig.make('Mapped');
      const give = async (status: object) => rig.write('Mapped', { conditions: [ready], status: { ...status } });
      await give({ phase: 'Up' });
      const { metadata } = await rig.read('Mapped');
      rig.sent();

      rig.clock.nowMs += 60_000;
      expect(await give({ phase: 'Up' })).toEqual({ type: 'unchanged' });
      expect(rig.sent()).toEqual(['GET a']);
      expect((await rig.read('Mapped')).metadata['resourceVersion']).toBe(metadata['resourceVersion']);

      expect(await give({ phase: 'Down' })).toMatchObject({ type: 'written', before: metadata['resourceVersion'] });
      expect(rig.sent()).toEqual(['GET a', 'PATCH status']);
    });

    it('keeps lastTransitionTime while the status of the condition is the same', async () => {
      await rig.make('Mapped');
      await rig.write('Mapped', { conditions: [ready] });
      rig.clock.nowMs += 60_000;

      await rig.write('Mapped', { conditions: [condition('Ready', 'True', 'still')] });
      const same = await rig.read('Mapped');
      await rig.write('Mapped', { conditions: [condition('Ready', 'False')] });
      const changed = await rig.read('Mapped');

      expect(same.status?.conditions).toMatchObject([{ message: 'still', lastTransitionTime: START }]);
      expect(changed.status?.conditions).toMatchObject([{ lastTransitionTime: '2026-01-05T03:01:00Z' }]);
    });

    it('keeps the conditions and fields of the hook that it does not mention, and drops a field that is null', async () => {
      await rig.make('Mapped');
      await rig.write('Mapped', { conditions: [ready, condition('Synced', 'True')], status: { phase: 'Up', size: 3 } });

      await rig.write('Mapped', { conditions: [condition('Ready', 'False')], status: { phase: null } });

      const { status } = await rig.read('Mapped');
      expect(status?.conditions).toMatchObject([
        { type: 'Ready', status: 'False' },
        { type: 'Synced', status: 'True' },
      ]);
      expect([status?.['phase'], status?.['size']]).toEqual([undefined, 3]);
    });

    it('empties a field whose members it had, which the server takes in two writes alone', async () => {
      await rig.make('Mapped');
      const give = async (status: object) => rig.write('Mapped', { conditions: [ready], status: { ...status } });
      await give({ phase: 'Up', detail: { a: '1' } });

      const { metadata } = await rig.read('Mapped');
      const { resourceVersion: before } = metadata;
      expect(await give({ phase: 'Up', detail: {} })).toEqual({
        type: 'written',
        before,
        between: expect.not.stringMatching(`^${String(before)}$`),
        after: expect.any(String),
      });

      expect((await rig.read('Mapped')).status).toMatchObject({ phase: 'Up', detail: {} });
      expect(await give({ phase: 'Up', detail: {} })).toEqual({ type: 'unchanged' });
    });

    it('replaces a field that has members as a whole', async () => {
      await rig.make('Mapped');
      await rig.write('Mapped', { status: { detail: { a: '1', b: '2' } } });

      await rig.write('Mapped', { status: { detail: { a: '1' } } });

      expect((await rig.read('Mapped')).status?.['detail']).toEqual({ a: '1' });
    });

    it.each(['Mapped', 'Listed'])('leaves the conditions and fields of others: %s', async (kind) => {
      await rig.make(kind);
      const other = { ...condition('Other', 'True', 'not ours'), lastTransitionTime: '2020-01-01T00:00:00Z' };
      await rig.apply(kind, { conditions: [other], phase: 'Theirs' });

      await rig.write(kind, { conditions: [ready] });
      await rig.write(kind, { conditions: [condition('Ready', 'False')] });
      expect(await rig.write(kind, { conditions: [condition('Ready', 'False')] })).toEqual({ type: 'unchanged' });

      const { status } = await rig.read(kind);
      expect(status?.conditions).toEqual([other, expect.objectContaining({ type: 'Ready', status: 'False' })]);
      expect(status?.['phase']).toBe('Theirs');
    });

    it('leaves the owner of a condition in a list of conditions by type', async () => {
      await rig.make('Mapped');
      await rig.apply('Mapped', { conditions: [condition('Other', 'True')] });

      await rig.write('Mapped', { conditions: [ready] });
      await rig.apply('Mapped', { conditions: [] });

      expect((await rig.read('Mapped')).status?.conditions).toMatchObject([{ type: 'Ready' }]);
    });

    it('takes a condition and a field from whoever has them', async () => {
      await rig.make('Mapped');
      await rig.apply('Mapped', { conditions: [condition('Ready', 'False')], phase: 'Down' });

      await rig.write('Mapped', { conditions: [ready], status: { phase: 'Up' } });

      const { status } = await rig.read('Mapped');
      expect([status?.conditions?.[0]?.['status'], status?.['phase']]).toEqual(['True', 'Up']);
    });

    it('says nothing of the generation where another manager does', async () => {
      await rig.make('Mapped');
      await rig.apply('Mapped', { observedGeneration: 7 });

      await rig.write('Mapped', { conditions: [ready] });

      expect((await rig.read('Mapped')).status?.['observedGeneration']).toBe(7);
    });

    it('lacks what the schema of the kind lacks', async () => {
      await rig.make('Plain');

      expect(await rig.write('Plain', { conditions: [ready], status: { phase: 'Up' } })).toMatchObject({
        type: 'written',
      });
      expect((await rig.read('Plain')).status).toEqual({ conditions: [ready], phase: 'Up' });
      rig.sent();
      expect(await rig.write('Plain', { conditions: [ready] })).toEqual({ type: 'unchanged' });
      expect(rig.sent()).toEqual(['GET a']);
    });

    it('is written on top of a change that came in between', async () => {
      const { metadata } = await rig.make('Mapped');
      const live = { ...(await rig.read('Mapped')) };
      await rig.patch({ kind: 'Mapped' }, { spec: { a: 2 } });

      const outcome = await rig.write('Mapped', { conditions: [ready] }, { live, generation: 1 });

      expect(outcome).toMatchObject({ type: 'written' });
      expect(outcome).not.toMatchObject({ before: metadata['resourceVersion'] });
      expect(rig.sent()).toEqual(['PATCH status', 'GET a', 'PATCH status']);
      expect((await rig.read('Mapped')).status?.['observedGeneration']).toBe(1);
    });
  });

  describe('no request is wasted', () => {
    it('where the newest object is known: one for a change, none without', async () => {
      const rig = await startStatusRig(await findCluster());
      await rig.make('Mapped');
      const known = async () => ({ live: { ...(await rig.read('Mapped')) }, isCurrent: true });
      await rig.write('Mapped', { conditions: [ready] }, await known());
      expect(rig.sent()).toEqual(['PATCH status']);

      expect(await rig.write('Mapped', { conditions: [ready] }, await known())).toEqual({ type: 'unchanged' });

      expect(rig.sent()).toEqual([]);
    });

    it('where a watch still shows an object older than the last write: it counts as that write left it', async () => {
      const rig = await startStatusRig(await findCluster());
      await rig.make('Mapped');
      const old = { live: { ...(await rig.read('Mapped')) }, isCurrent: true };
      await rig.write('Mapped', { conditions: [ready] }, old);
      rig.sent();

      expect(await rig.write('Mapped', { conditions: [ready] }, old)).toEqual({ type: 'unchanged' });
      expect(rig.sent()).toEqual([]);

      const down = { conditions: [condition('Ready', 'False')] };
      expect(await rig.write('Mapped', down, old)).toMatchObject({ type: 'written' });
      expect(rig.sent()).toEqual(['PATCH status']);
    });

    it('but it is read where somebody else changed it since, or many others were written since', async () => {
      const rig = await startStatusRig(await findCluster());
      await rig.make('Mapped');
      const old = { live: { ...(await rig.read('Mapped')) }, isCurrent: true };
      await rig.write('Mapped', { conditions: [ready] }, old);
      await rig.patch({ kind: 'Mapped' }, { spec: { a: 2 } });
      rig.sent();

      const down = { conditions: [condition('Ready', 'False')] };
      expect(await rig.write('Mapped', down, old)).toMatchObject({ type: 'written' });
      expect(rig.sent()).toEqual(['PATCH status', 'GET a', 'PATCH status']);

      for (let other = 0; other < 16; other++) {
        await rig.make('Mapped', `other-${other}`);
        await rig.write('Mapped', { conditions: [ready] }, { name: `other-${other}` });
      }
      rig.sent();

      expect(await rig.write('Mapped', { conditions: [ready] }, old)).toMatchObject({ type: 'written' });
      expect(rig.sent()).toEqual(['GET a', 'PATCH status']);
    });
  });

  describe('a status that cannot be written', () => {
    let rig: StatusRig;

    beforeEach(async () => {
      rig = await startStatusRig(await findCluster());
    });

    it('of an object that is gone is no error', async () => {
      expect(await rig.write('Mapped', { conditions: [ready] })).toEqual({ type: 'gone' });
    });

    it('of an object that was created anew is not written', async () => {
      const { metadata } = await rig.make('Mapped');
      const live = { ...(await rig.read('Mapped')) };
      await rig.remove('Mapped');
      await rig.make('Mapped');
      const uid = String(metadata['uid']);

      expect(await rig.write('Mapped', { conditions: [ready] }, { uid })).toEqual({ type: 'gone' });
      expect(await rig.write('Mapped', { conditions: [ready] }, { uid, live })).toEqual({ type: 'gone' });
      expect((await rig.read('Mapped')).status).toBeUndefined();
    });

    it('for want of the subresource says what to add', async () => {
      await rig.make('Bare');

      const outcome = await rig.write('Bare', { conditions: [ready] });

      expect(outcome).toMatchObject({
        type: 'failed',
        message:
          'the kind Bare has no status subresource, so its status cannot be written: add `subresources: {status: {}}` ' +
          `to the version v1 of the CustomResourceDefinition bares.${GROUP}`,
      });
    });

    it('for want of any status says so', async () => {
      const target = { apiVersion: 'v1', name: 'kube-root-ca.crt' };

      const outcome = await rig.write('ConfigMap', { conditions: [ready] }, target);

      expect(outcome).toMatchObject({ message: 'the kind ConfigMap has no status that can be written' });
    });

    it('by the schema has the message of the server', async () => {
      await rig.make('Plain');

      const long = await rig.write('Plain', { status: { phase: 'a phase that is too long' } });
      const unknown = await rig.write('Plain', { status: { junk: 1 } });
      const odd = await rig.write('Plain', { status: { phase: 5 } });

      expect(long).toMatchObject({ type: 'failed', message: expect.stringContaining('status.phase') });
      expect(unknown).toMatchObject({ message: expect.stringContaining('.status.junk: field not declared in schema') });
      expect(odd).toMatchObject({ message: expect.stringContaining('.status.phase') });
      expect((await rig.read('Plain')).status).toBeUndefined();
    });

    it('of the fields by the schema leaves the conditions, and is a warning', async () => {
      await rig.make('Mapped');
      const message = 'the fields of `status` were not written, only the conditions: ';

      const unknown = await rig.write('Mapped', { conditions: [ready], status: { junk: 1 } });
      const again = await rig.write('Mapped', { conditions: [ready], status: { size: 'big' } });
      const { status } = await rig.read('Mapped');

      expect(unknown).toMatchObject({ type: 'written', warning: expect.stringContaining(message) });
      expect(unknown).toMatchObject({ warning: expect.stringContaining('.status.junk') });
      expect(again).toMatchObject({ type: 'unchanged', warning: expect.stringContaining('.status.size') });
      expect(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
      expect(status).not.toHaveProperty('junk');
    });
  });
}
