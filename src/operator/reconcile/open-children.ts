import { Flips } from '../../effects/children/flips.ts';
import { readLiveChild } from '../../effects/children/live-child.ts';
import { marksOf } from '../../effects/children/marks.ts';
import { reachDesiredState } from '../../effects/children/reach.ts';
import { readyCondition } from '../../effects/children/ready-condition.ts';
import { removeChildren } from '../../effects/children/remove-children.ts';
import { Tolerance } from '../../effects/children/tolerance.ts';
import type { Logger } from '../../log.ts';
import type { ChildrenDoor, ChildrenRequest } from './children-door.ts';
import { createFlipLog } from './flip-log.ts';
import type { ClusterAccess } from '../cluster-access.ts';

/** Opens the door to the children of all hooks. */
export function openChildren({ client, kinds }: Pick<ClusterAccess, 'client' | 'kinds'>, log: Logger): ChildrenDoor {
  const tolerance = new Tolerance();
  const flips = new Flips(Date.now);
  const warn = createFlipLog(log, Date.now);
  return {
    reach: async (request, signal) => {
      const live = liveOf(request);
      const outcome = await reachDesiredState({ ...request, live }, { client, kinds, tolerance, signal, log });
      const found = outcome.applied.map((write) => flips.note(write)).filter((flip) => flip !== undefined);
      for (const flip of found) warn(request.binding.name, flip);
      const restMs = Math.max(0, ...found.map(({ delayMs }) => delayMs));
      const { applied: writes, problems, there } = outcome;
      return { writes, problems, there, ready: readyCondition(outcome), restMs };
    },
    remove: async (request, signal) => {
      const live = liveOf(request);
      const { applied, problems, left } = await removeChildren(
        { ...request, live },
        { client, kinds, tolerance, signal, log },
      );
      return { writes: applied, problems, left };
    },
  };
}

function liveOf({ binding, parent, live }: ChildrenRequest): readonly ReturnType<typeof readLiveChild>[] {
  const marks = marksOf(binding.name, parent);
  return live.map((object) => readLiveChild(object, marks));
}
