import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, Sandbox } from '@hooklet/sandbox';
import { sandboxForTest, textAt } from '@hooklet/sandbox/testing';
import { until, type OperatorRig } from '../support/operator-rig.ts';
import {
  answeringHook,
  CHILDREN,
  childrenIn,
  labelsOf,
  runsOf,
  sentTo,
  siteOf,
  startSites,
} from '../support/reconcile-rig.ts';

/** What others do to the object of a name while no operator runs. */
const FATES = [
  'never made',
  'as it was',
  'deleted',
  'value changed',
  'value removed',
  'label added',
  'hash removed',
  'unlabeled',
  'foreign',
  'replaced',
  'ownerless',
  'marked by others',
] as const;
/** What they do while one runs. */
const LIVE_FATES = ['nothing', 'deleted', 'value changed', 'value removed', 'label added', 'hash removed'] as const;
const PARENTS = 14;
const CHILDREN_EACH = 4;

type Fate = (typeof FATES)[number] | (typeof LIVE_FATES)[number];
const FOREIGN: readonly Fate[] = ['unlabeled', 'foreign', 'replaced', 'ownerless', 'marked by others'];
const NOT_MADE: readonly Fate[] = ['never made', 'foreign', 'marked by others'];

const child = fc.record({
  fate: fc.constantFrom(...FATES),
  live: fc.constantFrom(...LIVE_FATES),
  isWanted: fc.boolean(),
  isChanged: fc.boolean(),
  /** Where its fates stand among all others. */
  turn: fc.nat(),
});
const scenario = fc.array(fc.array(child, { minLength: CHILDREN_EACH, maxLength: CHILDREN_EACH }), {
  minLength: PARENTS,
  maxLength: PARENTS,
});

describe('from any half-done state', () => {
  it('an operator makes what is wanted, touches nothing foreign, and the next one sends nothing', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (parents) => {
        const sandbox = await sandboxForTest();
        const all = parents.flatMap((children, at) =>
          children.map((one, place) => ({ ...one, at, ...named(at, place) })),
        );
        const uids = new Map<string, string>();
        const put = async (at: number, of: readonly string[]): Promise<void> => {
          const made = await sandbox.apply(siteOf(`p${at}`, { children: of.join(' ') }));
          uids.set(`p${at}`, textAt(made, 'metadata', 'uid'));
        };
        for (const at of parents.keys()) {
          const made = all.filter((one) => one.at === at && !NOT_MADE.includes(one.fate));
          await put(
            at,
            made.map(({ name }) => `${name}=old`),
          );
        }
        const made = all.filter(({ fate }) => !NOT_MADE.includes(fate)).map(({ name }) => `${name}=old`);
        await during(sandbox, async () => {
          await until(async () => expect(await childrenIn(sandbox)).toEqual(made.toSorted()));
        });

        const inTurn = all.toSorted((a, b) => a.turn - b.turn);
        for (const { name, fate, parent } of inTurn) await befall(sandbox, { name, fate, uid: uids.get(parent) ?? '' });
        const foreign = all.filter(({ fate }) => FOREIGN.includes(fate)).map(({ name }) => `${CHILDREN}/${name}`);
        const before = await Promise.all(foreign.map(async (path) => sandbox.call('GET', path)));
        for (const at of parents.keys()) {
          const wanted = all.filter((one) => one.at === at && one.isWanted);
          await put(
            at,
            wanted.map(({ name, isChanged }) => `${name}=${isChanged ? 'new' : 'old'}`),
          );
        }
        await during(sandbox, async () => {
          const touched = inTurn.filter(({ fate }) => !FOREIGN.includes(fate)).toReversed();
          for (const { name, live, parent } of touched) {
            await befall(sandbox, { name, fate: live, uid: uids.get(parent) ?? '' });
          }
          await until(async () => expect(await differences(sandbox, all)).toEqual([]));
        });

        sandbox.clearRequests();
        await during(sandbox, async (operator) => {
          await until(() => expect(new Set(runsOf(operator).map(({ name }) => name)).size).toBe(PARENTS));
        });
        const taken = all.filter(({ fate, isWanted }) => isWanted && FOREIGN.includes(fate));
        const sent = sentTo(sandbox).filter((line) => !taken.some(({ name }) => line.endsWith(`/${name}`)));
        expect(sent).toEqual([]);
        expect(await differences(sandbox, all)).toEqual([]);
        expect(await Promise.all(foreign.map(async (path) => sandbox.call('GET', path)))).toEqual(before);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});

interface Wanted {
  readonly parent: string;
  readonly name: string;
  readonly fate: Fate;
  readonly isWanted: boolean;
  readonly isChanged: boolean;
}

function named(at: number, place: number): Pick<Wanted, 'parent' | 'name'> {
  return { parent: `p${at}`, name: `p${at}-${'abcd'[place] ?? ''}` };
}

/** The children that are not as they should be. What is no longer wanted stays while a name of its parent is taken. */
async function differences(sandbox: Sandbox, all: readonly Wanted[]): Promise<readonly string[]> {
  const there = new Set(await childrenIn(sandbox));
  const blocked = new Set(
    all.filter(({ fate, isWanted }) => isWanted && FOREIGN.includes(fate)).map(({ parent }) => parent),
  );
  return all.flatMap(({ name, parent, fate, isWanted, isChanged }): readonly string[] => {
    if (FOREIGN.includes(fate)) return [];
    if (isWanted) return there.has(`${name}=${isChanged ? 'new' : 'old'}`) ? [] : [`${name} is not as wanted`];
    const isThere = [...there].some((one) => one.startsWith(`${name}=`));
    return isThere && !blocked.has(parent) ? [`${name} is there`] : [];
  });
}

async function during(sandbox: Sandbox, action: (operator: OperatorRig) => Promise<void>): Promise<void> {
  await using operator = startSites(sandbox, answeringHook({ concurrency: 8 }));
  await action(operator);
}

interface Befallen {
  readonly name: string;
  readonly fate: Fate;
  /** Of the parent. */
  readonly uid: string;
}

async function befall(sandbox: Sandbox, { name, fate, uid }: Befallen): Promise<void> {
  const path = `${CHILDREN}/${name}`;
  const changes: Partial<Record<Fate, JsonObject>> = {
    'value changed': { data: { value: 'dGhlaXJz' } },
    'value removed': { data: { value: null } },
    'label added': { metadata: { labels: { theirs: '1' } } },
    'hash removed': { metadata: { annotations: { 'hooklet.dev/applied': null } } },
    unlabeled: { metadata: { labels: null } },
    ownerless: { metadata: { ownerReferences: null } },
  };
  const change = changes[fate];
  if (change !== undefined) await sandbox.call('PATCH', path, change, 'application/merge-patch+json');
  if (fate === 'deleted' || fate === 'replaced') await sandbox.call('DELETE', path);
  if (fate === 'foreign' || fate === 'replaced' || fate === 'marked by others') {
    const labels = fate === 'marked by others' ? labelsOf(uid) : {};
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, data: { value: 'dGhlaXJz' } };
    await sandbox.call('POST', CHILDREN, body);
  }
}
