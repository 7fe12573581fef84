/* Plays the mistakes of users: many in one world, which each of them must leave as it was. */

import type { World } from '../world.ts';
import { findingOf, type Learned, type Told } from './learn.ts';
import { type Known, makeMistake, type Mistake, mistakesIn } from './misuse.ts';
import type { Plan } from './plan.ts';
import { play } from './play.ts';
import type { KindReport, OnPlan, PerturbFinding } from './report.ts';

/** Which plans are played, and how many at most. */
export interface PlanLimits {
  readonly only: Plan | undefined;
  readonly most: number;
  readonly isFirstEnough?: boolean;
  readonly onPlan?: OnPlan;
}

/** What the mistakes led to. The first finding is made once more in a world of its own, so that it stands alone. */
export async function makeMistakes(
  learned: Learned,
  limits: PlanLimits,
): Promise<{ readonly report: KindReport; readonly finding?: PerturbFinding }> {
  const all = mistakesIn(learned.story);
  const { only } = limits;
  const asked = only === undefined ? all : all.filter(({ misuse }) => isSame(misuse, only));
  const { found, played } = await makeAll(learned, asked.slice(0, limits.most), limits);
  const report: KindReport = {
    kind: 'misuse',
    plans: played,
    pruned: 0,
    leftOut: asked.length - played,
    failed: found.length,
  };
  for (const mistake of found) {
    const told = await makeAlone(await learned.exact(), mistake);
    if (told.differences.length === 0) continue;
    const finding = findingOf({ kind: 'misuse', misuse: mistake.misuse }, mistake.words, told);
    return { report, finding };
  }
  return { report: { ...report, failed: 0 } };
}

function isSame(misuse: Mistake['misuse'], { misuse: asked }: Plan): boolean {
  return misuse.object === asked?.object && misuse.field === asked.field && misuse.how === asked.how;
}

interface Made {
  readonly found: readonly Mistake[];
  readonly played: number;
}

// A world that a mistake changed for good is left, and the next mistakes are made in another one.
async function makeAll(learned: Learned, mistakes: readonly Mistake[], limits: PlanLimits): Promise<Made> {
  const found: Mistake[] = [];
  const heeded = new Set<string>();
  let next = 0;
  const goOn = async (world: World): Promise<void> => {
    while (next < mistakes.length) {
      const mistake = mistakes[next];
      next += 1;
      if (mistake === undefined) return;
      const made = await makeMistake(world, mistake, knownOf(learned, heeded.has(fieldKey(mistake))));
      limits.onPlan?.('misuse', next, mistakes.length);
      if (made.isHeeded && !mistake.mutation.isWrong) heeded.add(fieldKey(mistake));
      if (made.differences.length === 0) continue;
      found.push(mistake);
      return;
    }
  };
  while (next < mistakes.length && !(limits.isFirstEnough === true && found.length > 0)) {
    await play(learned.stage, { actions: learned.actions, afterwards: goOn });
  }
  return { found, played: next };
}

function fieldKey({ misuse }: Mistake): string {
  return `${misuse.object}:${misuse.field}`;
}

function knownOf({ story, mask }: Learned, isHeeded: boolean): Known {
  return { base: story, mask, isHeeded };
}

// Another value that is right comes before it: it shows whether hooks heed the field.
async function makeAlone(learned: Learned, mistake: Mistake): Promise<Told> {
  const isSame = (one: Mistake): boolean => fieldKey(one) === fieldKey(mistake) && one.misuse.how === 'changed';
  const other = mistakesIn(learned.story).find(isSame);
  let told: Told = { differences: [], timeline: [] };
  await play(learned.stage, {
    actions: learned.actions,
    afterwards: async (world) => {
      const isFirst = other === undefined || other.misuse.how === mistake.misuse.how;
      const before = isFirst ? undefined : await makeMistake(world, other, knownOf(learned, false));
      const known = knownOf(learned, before?.isHeeded === true);
      const { differences } = await makeMistake(world, mistake, known);
      told = { differences, timeline: [...world.timeline] };
    },
  });
  return told;
}
