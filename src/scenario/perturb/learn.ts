/* What the undisturbed scenario does, and how a disturbed one differs from it. */

import { ScenarioError } from '../../errors.ts';
import { LEFT_OUT } from '../live/idle-runs.ts';
import type { Moment } from '../timeline.ts';
import { learnMask, type Mask, plainMask } from './mask.ts';
import { differences, endDifferences } from './oracle.ts';
import { type Plan, planText } from './plan.ts';
import { actionsOf, play, type Stage, type Story } from './play.ts';
import type { Difference } from './difference.ts';
import type { PerturbFinding } from './report.ts';
import { runTwice } from './twice.ts';

/** What was learned from undisturbed runs. */
export interface Learned {
  readonly stage: Stage;
  readonly story: Story;
  readonly mask: Mask;
  /** How many actions are played. */
  readonly actions: number;
  /** The same where no run was left out: a finding must be one there, too. */
  readonly exact: () => Promise<Learned>;
  /** What a second run of everything wrote; empty if it was not asked for. */
  readonly twice: Told;
}

/** How a world differs, and what happened in it. */
export interface Told {
  readonly differences: readonly Difference[];
  readonly timeline: readonly Moment[];
}

/** Plays the scenario twice. Rejects with a `ScenarioError` when it does not end, or ends differently each time. */
export async function learn(
  stage: Stage,
  { isTwice, actions }: { readonly isTwice: boolean; readonly actions?: number },
): Promise<Learned> {
  const { scenario } = stage;
  const given = JSON.stringify([scenario.given.objects, scenario.given.env, scenario.steps]);
  const limit = actions === undefined ? {} : { actions };
  let twice: Told = { differences: [], timeline: [] };
  // With other uids and names, so that what hooks make of them is known to differ; but an object that the scenario means
  // by its uid must be the same one.
  const second = play(stage, { ...limit, variant: { name: 'learned', keeps: given } });
  const [story, other] = await Promise.all([
    play(stage, {
      ...limit,
      afterwards: async (world) => {
        if (!isTwice) return;
        const played = actionsOf(scenario).slice(0, actions);
        const found = await runTwice(world, played, plainMask(given));
        twice = { differences: found, timeline: [...world.timeline] };
      },
    }),
    second,
  ]);
  const mask = learnMask(given, story.objects, other.objects);
  checkSteady(story, other, mask);
  let exact: Promise<Learned> | undefined;
  const learned: Learned = {
    stage,
    story,
    mask,
    actions: Math.min(actions ?? Infinity, actionsOf(scenario).length),
    exact: async () => {
      if (!story.timeline.some(isLeftOut)) return learned;
      exact ??= learn({ ...stage, isSparing: false }, { ...limit, isTwice: false });
      return exact;
    },
    twice,
  };
  return learned;
}

function isLeftOut(moment: Moment): boolean {
  return moment.type === 'log' && moment.message === LEFT_OUT;
}

function checkSteady(story: Story, other: Story, mask: Mask): void {
  const stuck = story.stuck ?? other.stuck;
  if (stuck !== undefined) throw new ScenarioError(`without any disturbance: ${stuck}`);
  const [first] = endDifferences(story, other, mask);
  if (first === undefined) return;
  throw new ScenarioError(
    `the scenario cannot be perturbed, since it ends differently without any disturbance: ${first.text}`,
  );
}

/** Plays the scenario with a disturbance and compares it with the undisturbed one. */
export async function disturbed(learned: Learned, plan: Plan): Promise<Told> {
  const { disturbance } = plan;
  const story = await play(learned.stage, {
    actions: plan.actions ?? learned.actions,
    ...(disturbance === undefined ? {} : { disturbance }),
  });
  return { differences: differences(plan.kind, learned.story, story, learned.mask), timeline: story.timeline };
}

/** Throws a `ScenarioError` where a disturbance that was asked for has struck nothing, so that nothing was tried. */
export function checkStruck(plan: Plan, timeline: readonly Moment[]): void {
  const { disturbance } = plan;
  if (disturbance === undefined || timeline.some((moment) => isStruck(moment, disturbance))) return;
  throw new ScenarioError(
    `the plan ${planText(plan)} strikes nothing: the story has less of what it counts; hooklet test --all plays the plans that there are`,
  );
}

function isStruck(moment: Moment, disturbance: NonNullable<Plan['disturbance']>): boolean {
  if (disturbance.type === 'answer') return moment.type === 'call' && moment.call === disturbance.call;
  if (disturbance.type === 'past') return moment.type === 'delivered' && moment.event === disturbance.event;
  return moment.type === 'disturbed';
}

/** A finding from its plan and what became of it. */
export function findingOf(plan: Plan, disturbance: string, { differences: found, timeline }: Told): PerturbFinding {
  return { kind: plan.kind, plan: planText(plan), disturbance, differences: found.map(({ text }) => text), timeline };
}
