import { describe, expect, it } from 'vitest';
import { mergeTasks } from '../../src/hook/merge.ts';
import type { OwnSlice } from '../../src/hook/shard.ts';
import type { ReconcileReason } from '../../src/hook/trigger.ts';
import { hookWith, reconcileBinding } from '../support/bindings.ts';
import { taskOf } from '../support/unit-rig.ts';

const hook = hookWith('hook.sh');
const binding = reconcileBinding('sites');

function sliceOf(index: number): OwnSlice {
  return { index, given: new AbortController().signal };
}

function lookAt(reason: ReconcileReason, slice?: OwnSlice) {
  const about = { namespace: '', name: 'web', ...(slice !== undefined && { slice }) };
  return taskOf(hook, { type: 'reconcile', binding, ...about, reason });
}

describe('two looks at an object', () => {
  it('are one for what happened to it, also where nothing happened later', () => {
    const slice = sliceOf(3);
    const waiting = lookAt('changed', slice);

    expect(mergeTasks(waiting, lookAt('start', slice))).toBe(waiting);
  });

  it('are the later one where the object was created anew in another slice meanwhile', () => {
    const anew = lookAt('start', sliceOf(4));

    expect(mergeTasks(lookAt('deleted', sliceOf(3)), anew)).toBe(anew);
  });
});
