import { KubeError } from '../../errors.ts';
import { atOnce } from '../../lib/at-once.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { isConflict } from '../../kube/api-error.ts';
import { isReplaced, problemOf } from './child-errors.ts';
import { tryChild, tryRenamed } from './child-requests.ts';
import type { WantedChild } from './desired.ts';
import { MAX_AT_ONCE, type Pass } from './pass.ts';
import { planSteps, type ChildState, type Step } from './plan.ts';
import type { ChildProblem } from './problem.ts';

/**
 * Asks the API server whether it would take each child that this answer still has to write, also those that wait for
 * others; returns its refusals. Nothing is changed.
 *
 * A child that is made anew is tried as a change of what is there; when that is refused, as it is for a field that
 * cannot be changed, it is tried as a new object under a free name. What cannot be tried is left to the write: a child
 * in a namespace that the same answer makes, or one that an admission webhook without dry run sees.
 */
export async function dryRun(pass: Pass): Promise<readonly ChildProblem[]> {
  const steps = planSteps(pass.states);
  const tried = pass.states.filter((state, place) => isTried(pass, state, steps[place]));
  const refusals: ChildProblem[] = [];
  await atOnce(tried, MAX_AT_ONCE, async (state) => {
    try {
      await tryOne(pass, state);
    } catch (error) {
      refusals.push(problemOf(state.wanted.label, state.wanted.resource, error));
    }
  });
  return refusals;
}

function isTried({ states }: Pass, { wanted }: ChildState, step: Step | undefined): boolean {
  const isWritten = ['create', 'apply', 'recreate', 'blocked'].includes(step?.type ?? 'keep');
  return isWritten && wanted.needs.every((place) => states[place]?.live !== undefined);
}

async function tryOne({ session, marks }: Pass, { wanted, live }: ChildState): Promise<void> {
  const metadata: JsonObject = live === undefined ? { resourceVersion: '1' } : { uid: live.uid };
  try {
    await tryChild(session, wanted, { marks, metadata });
  } catch (error) {
    // The write finds out what is there instead of the child.
    if (isConflict(error) || isReplaced(error) || isUntried(error)) return;
    if (live === undefined || !isRemade(wanted) || !isInvalid(error)) throw error;
    await tryNew(async () => tryRenamed(session, wanted, marks));
  }
}

async function tryNew(attempt: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    // The object that is deleted first still has the address or the port.
    const isHeld = error instanceof Error && /already allocated/.test(error.message);
    if (!isHeld && !isConflict(error) && !isUntried(error)) throw error;
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof KubeError && error.status === 422;
}

function isUntried(error: unknown): boolean {
  return error instanceof KubeError && error.status === 400 && /does not support dry run/.test(error.message);
}

/** Whether the child is made anew, and may be tried under another name: of some kinds the name follows from the content. */
function isRemade({ onChange, kind }: WantedChild): boolean {
  const isNamedByContent = kind === 'CustomResourceDefinition' || kind === 'APIService';
  return !isNamedByContent && (onChange === 'Recreate' || onChange === 'RollingRecreate');
}
