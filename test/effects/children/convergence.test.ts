import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { Tolerance } from '../../../src/effects/children/tolerance.ts';
import { KubeError } from '../../../src/errors.ts';
import type { OnChange } from '../../../src/hook/result.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { changes, map, owned, sandboxClient, startChildrenRig, type ChildrenRig } from '../../support/children-rig.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** What happens to one name before the last answer. */
const FATES = [
  'never made',
  'as it was',
  'deleted',
  'value changed',
  'value removed',
  'label added',
  'unlabeled',
  'hash removed',
  'annotated',
  'foreign',
  'replaced',
  'ownerless',
] as const;
type Fate = (typeof FATES)[number];

const scenario = fc.record({
  fates: fc.tuple(...NAMES.map(() => fc.constantFrom(...FATES))),
  order: fc.shuffledSubarray([...NAMES], { minLength: NAMES.length }),
  wanted: fc.subarray([...NAMES]),
  isNewAnswer: fc.boolean(),
  onChange: fc.constantFrom<OnChange>('Apply', 'Recreate', 'RollingRecreate'),
  /** The request after which the server does not answer any more, in the first passes. */
  dies: fc.array(fc.nat({ max: 6 }), { maxLength: 3 }),
});

describe('from any half-done state', () => {
  it('the children converge, nothing foreign is touched, and then no request is sent', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ fates, order, wanted, isNewAnswer, onChange, dies }) => {
        await using sandbox = await sandboxForTest();
        const client = sandboxClient(sandbox);
        const rig = await startChildrenRig(client, 'default');
        const owns = [owned('ConfigMap', onChange)];
        const made = NAMES.filter((_, index) => !['never made', 'foreign'].includes(fates[index] ?? ''));
        await rig.reach(
          made.map((name) => map(name, { k: 'old', more: '1' })),
          { owns },
        );
        for (const name of order) await befall(rig, name, fates[NAMES.indexOf(name)] ?? 'as it was');
        const foreign = NAMES.filter((_, index) =>
          ['foreign', 'replaced', 'ownerless', 'unlabeled'].includes(fates[index] ?? ''),
        );
        const before = await Promise.all(foreign.map((name) => rig.read(`${MAPS}/${name}`)));
        const answer = wanted.map((name) => map(name, isNewAnswer ? { k: 'new' } : { k: 'old', more: '1' }));

        for (const requests of dies) {
          await rig.reach(answer, {
            owns,
            session: { client: dying(rig.session.client, requests), tolerance: new Tolerance() },
          });
        }
        await rig.reach(answer, { owns });
        const last = await rig.reach(answer, { owns, session: { tolerance: new Tolerance() } });

        const taken = wanted.filter((name) => foreign.includes(name));
        expect(changes(last)).toEqual([]);
        expect(last.problems.map(({ type, child }) => `${type} ${child}`).toSorted()).toEqual(
          taken.map((name) => `taken ConfigMap/${name}`).toSorted(),
        );
        if (taken.length === 0) expect(rig.requests).toEqual([]);
        expect(await Promise.all(foreign.map((name) => rig.read(`${MAPS}/${name}`)))).toEqual(before);
        const own = NAMES.filter((name) => !foreign.includes(name));
        for (const name of own.filter((one) => wanted.includes(one))) {
          const live = await rig.read(`${MAPS}/${name}`);
          expect({ name, live }).toMatchObject({ live: { data: answer[wanted.indexOf(name)]?.['data'] } });
        }
        // What is no longer wanted stays while something that is wanted has a problem.
        for (const name of taken.length > 0 ? [] : own.filter((one) => !wanted.includes(one))) {
          expect({ name, live: await rig.read(`${MAPS}/${name}`) }).toEqual({ name, live: undefined });
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** What others do to the object of a name. */
async function befall(rig: ChildrenRig, name: string, what: Fate): Promise<void> {
  const path = `${MAPS}/${name}`;
  const patch = async (change: object): Promise<unknown> =>
    rig.send({ method: 'PATCH', path, body: JSON.stringify(change), contentType: 'application/merge-patch+json' });
  const changesOf: Partial<Record<Fate, object>> = {
    'value changed': { data: { k: 'theirs' } },
    'value removed': { data: { k: null } },
    'hash removed': { metadata: { annotations: { 'hooklet.dev/applied': null } } },
    'label added': { metadata: { labels: { theirs: '1' } } },
    unlabeled: { metadata: { labels: null } },
    annotated: { metadata: { annotations: { theirs: '1' } } },
    ownerless: { metadata: { ownerReferences: null } },
  };
  const change = changesOf[what];
  if (change !== undefined) await patch(change);
  if (what === 'deleted' || what === 'replaced') await rig.send({ method: 'DELETE', path });
  if (what === 'foreign' || what === 'replaced') {
    await rig.send({ method: 'POST', path: MAPS, body: JSON.stringify(map(name, { k: 'foreign' })) });
  }
}

/** A client whose requests are lost after the first few, every second one after the server has carried it out. */
function dying(client: Pick<KubeClient, 'request'>, requests: number): Pick<KubeClient, 'request'> {
  let sent = 0;
  return {
    request: async (request, signal) => {
      sent += 1;
      if (sent <= requests) return client.request(request, signal);
      if (sent % 2 === 0) await client.request(request, signal).catch(() => undefined);
      throw new KubeError('no answer', { status: 0, reason: 'Timeout' });
    },
  };
}
