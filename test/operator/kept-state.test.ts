import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject, Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { stateAnnotation } from '../../src/hook/kept-state.ts';
import { asJsonObject, text } from '../../src/kube/object.ts';
import { sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';
import { metadataOf, objectsIn, PARENTS, runsIn, siteOf, STEPS, stepsHook } from '../support/kept-rig.ts';

const STEPS_PATH = '/api/v1/namespaces/default/secrets';
const EVENTS = '/api/v1/namespaces/default/events';
const STATE = stateAnnotation(STEPS);

function start(sandbox: Sandbox, hook = stepsHook()): OperatorRig {
  return startOperator({ hooks: { 'steps.ts': hook }, connect: sandboxCluster(sandbox) });
}

async function site(sandbox: Sandbox): Promise<JsonObject> {
  return metadataOf((await sandbox.call('GET', `${PARENTS}/a`)).body);
}

async function keptIn(sandbox: Sandbox): Promise<unknown> {
  const kept = asJsonObject((await site(sandbox))['annotations'])[STATE];
  return kept === undefined ? undefined : asJsonObject(JSON.parse(text(kept)))['state'];
}

/** The step of each Secret that the hook made. */
async function stepsIn(sandbox: Sandbox): Promise<readonly string[]> {
  const made = await objectsIn(sandbox, STEPS_PATH);
  return made.map((object) => text(asJsonObject(object['stringData'] ?? object['data'])['step'])).toSorted();
}

/** The steps as a Secret has them. */
function secrets(...steps: readonly number[]): readonly string[] {
  return steps.map((step) => Buffer.from(String(step)).toString('base64')).toSorted();
}

async function annotate(sandbox: Sandbox, value: string): Promise<void> {
  const body = { metadata: { annotations: { [STATE]: value } } };
  await sandbox.call('PATCH', `${PARENTS}/a`, body, 'application/merge-patch+json');
}

function warnings({ lines }: OperatorRig): string {
  return lines.flatMap(({ level, fields }) => (level === 'warn' ? [JSON.stringify(fields)] : [])).join('\n');
}

describe('the state that a hook keeps', () => {
  it('is given to the next run, which follows each change of it, and 3 steps make 4 runs', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    await using operator = start(sandbox);

    await until(() => expect(runsIn(operator).map(({ state }) => state)).toContainEqual({ done: 3 }));

    expect(runsIn(operator).map(({ state }) => state)).toEqual([null, { done: 1 }, { done: 2 }, { done: 3 }]);
    expect(await keptIn(sandbox)).toEqual({ done: 3 });
    expect(await stepsIn(sandbox)).toEqual(secrets(1, 2, 3));
  });

  it('is not written where it is the same, and outlives a restart', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    await using first = start(sandbox);
    await until(() => expect(runsIn(first)).toHaveLength(4));
    await first.stop();
    const before = await site(sandbox);

    await using second = start(sandbox);
    await until(() => expect(runsIn(second)).toHaveLength(1));
    await second.stop();

    expect(runsIn(second)).toMatchObject([{ state: { done: 3 } }]);
    expect(await site(sandbox)).toEqual(before);
  });

  it('is changed by one of 2 operators, whose steps are made once', async () => {
    const sandbox = await sandboxForTest();
    await using one = start(sandbox);
    await using other = start(sandbox);
    await until(() => expect([one, other].map(({ lines }) => lines.length > 0)).toEqual([true, true]));
    await sandbox.apply(siteOf('a', { steps: '20' }));

    await until(() => expect(runsIn(one).map(({ state }) => state)).toContainEqual({ done: 20 }));
    await until(() => expect(runsIn(other).map(({ state }) => state)).toContainEqual({ done: 20 }));

    expect(await stepsIn(sandbox)).toEqual(secrets(...Array.from({ length: 20 }, (_, at) => at + 1)));
  });

  it('that was changed while the hook ran fails the run, of which nothing is applied', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a', { waits: 'yes' }));
    await using operator = start(sandbox);
    await until(() => expect(runsIn(operator)).toHaveLength(1));
    const { uid } = await site(sandbox);

    await annotate(sandbox, JSON.stringify({ uid, run: 'of-another', state: { done: 2 } }));
    writeFileSync(join(operator.out, 'go'), '');

    await until(async () => expect(await stepsIn(sandbox)).toEqual(secrets(3)));
    expect(await keptIn(sandbox)).toEqual({ done: 3 });
    const failed = operator.lines.flatMap(({ fields }) => (fields.err instanceof Error ? [fields.err.message] : []));
    expect(failed.join('\n')).toContain('StateChanged: the state of ConfigMap default/a: somebody else has changed it');
  });

  it.each([
    ['is no JSON', 'nonsense', /is no state that hooklet wrote: got .*nonsense/],
    ['has no state', '{"uid": "x"}', /is no state that hooklet wrote/],
    ['is that of an earlier object', '{"uid": "x", "run": "y", "state": {"done": 2}}', /an earlier object.* uid x/],
  ])('counts as none with a warning where the annotation %s, and is replaced', async (_what, value, told) => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    await annotate(sandbox, value);
    await using operator = start(sandbox);

    await until(async () => expect(await keptIn(sandbox)).toEqual({ done: 3 }));

    expect(runsIn(operator)[0]).toMatchObject({ state: null });
    expect(warnings(operator)).toMatch(told);
    expect(warnings(operator)).toContain(STATE);
  });

  it('is not carried over to an object that is created anew', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    await using operator = start(sandbox);
    await until(() => expect(runsIn(operator)).toHaveLength(4));

    await sandbox.delete(siteOf('a'));
    await sandbox.apply(siteOf('a'));

    await until(() => expect(runsIn(operator)).toHaveLength(8));
    expect(runsIn(operator).map(({ state }) => state)[4]).toBeNull();
  });

  it('is removed by null', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a', { forgets: 'yes' }));
    await using operator = start(sandbox);

    await until(() => expect(runsIn(operator).map(({ state }) => state)).toContainEqual({ done: 3 }));

    await until(async () => expect((await site(sandbox))['annotations']).not.toHaveProperty([STATE]));
  });
});

describe('an Event with a key', () => {
  const told = async (sandbox: Sandbox): Promise<readonly string[]> => {
    const events = await objectsIn(sandbox, EVENTS);
    return events.filter(({ reason }) => reason === 'Stepped').map(({ message }) => text(message));
  };
  const all = ['step 1', 'step 2', 'step 3'];

  it('is told once, also by 5 restarts, and when the Events are gone', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a', { tells: 'always' }));
    const restart = async (): Promise<void> => {
      await using operator = start(sandbox);
      await until(() => expect(runsIn(operator).map(({ state }) => state)).toContainEqual({ done: 3 }));
    };
    await restart();
    expect((await told(sandbox)).toSorted()).toEqual(all);
    for (const event of await objectsIn(sandbox, EVENTS)) {
      await sandbox.call('DELETE', `${EVENTS}/${text(metadataOf(event)['name'])}`);
    }

    for (let times = 0; times < 5; times += 1) await restart();

    expect(await told(sandbox)).toEqual([]);
  });

  it('that was kept with a state is told by a later run, where it could not be told at once', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    sandbox.faults.add({ type: 'status', code: 403, method: 'POST', path: EVENTS });
    await using first = start(sandbox);
    await until(() => expect(runsIn(first).map(({ state }) => state)).toContainEqual({ done: 3 }));
    await first.stop();
    expect(await told(sandbox)).toEqual([]);
    sandbox.faults.clear();

    await using second = start(sandbox);

    await until(async () => expect((await told(sandbox)).toSorted()).toEqual(all));
    expect(runsIn(second)).toHaveLength(1);
  });
});
