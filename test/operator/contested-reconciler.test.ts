import { describe, expect, it, onTestFinished } from 'vitest';
import { Bell } from '../../src/lib/bell.ts';
import { createContestedReconciler } from '../../src/operator/reconcile/contested-reconciler.ts';
import type { MadeChild } from '../../src/sources/reconcile/made-children.ts';
import { kubernetesBinding, reconcileBinding } from '../support/bindings.ts';
import { idleReconciler } from '../support/idle-reconciler.ts';

const place = { namespace: 'default', name: 'a' };
const child: MadeChild = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'web' };

const facts = { uid: 'u', isDeleting: false, isMarked: true };

/** A reconcile binding that hook `one.sh` has, until `free` is called. */
function contested() {
  const binding = reconcileBinding('sites');
  const told: string[] = [];
  const freed = new Bell();
  const controller = new AbortController();
  let owner: string | undefined = 'one.sh';
  const reconciler = createContestedReconciler({
    binding,
    shown: kubernetesBinding('sites'),
    owner: () => owner,
    freed,
    create: () =>
      idleReconciler(binding, {
        childLists: 7,
        lookAgain: () => 3,
        made: ({ name }, children, since) => void told.push(`${name} made ${children[0]?.name} since ${since}`),
        shows: async ({ name }, isShown) => void told.push(`${name} shows ${isShown({ ...facts, kept: 'x' })}`),
      }),
    onProblem: (message) => void told.push(message),
    onEnd: () => {},
  });
  const ended = reconciler.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await ended;
  });
  const { signal } = controller;
  const free = async (): Promise<void> => {
    owner = undefined;
    freed.ring();
    await new Promise(setImmediate);
  };
  return { reconciler, told, signal, free };
}

describe('a reconcile binding that another hook has', () => {
  it('waits for no state, and knows of no children', async () => {
    const { reconciler, told, signal } = contested();

    await reconciler.shows(place, (found) => found?.kept === 'x', signal);
    reconciler.made(place, [child], reconciler.childLists);

    expect([reconciler.childLists, reconciler.lookAgain()]).toEqual([0, 0]);
    expect(told).toEqual([expect.stringContaining('hook one.sh has a reconcile binding sites')]);
  });

  it('waits for its kept state and watches the children of its runs once it is free', async () => {
    const { reconciler, told, signal, free } = contested();
    await free();
    told.splice(0);

    await reconciler.shows(place, (found) => found?.kept === 'x', signal);
    reconciler.made(place, [child], reconciler.childLists);

    expect(told).toEqual(['a shows true', 'a made web since 7']);
    expect(reconciler.lookAgain()).toBe(3);
  });
});
