/*
 * Perturbations: a scenario is played undisturbed, twice, and then once for each disturbance that may matter. What a right
 * hook would have outlived is a finding. See `strikes.ts` for what is disturbed, `oracle.ts` for what is compared.
 */

import type { PerturbKind } from '../scenario.ts';
import { checkStruck, disturbed, findingOf, type Learned, learn, type Told } from './learn.ts';
import { makeMistakes, type PlanLimits } from './mistakes.ts';
import { parsePlan, type Plan } from './plan.ts';
import type { KindReport, Perturb, PerturbFinding } from './report.ts';
import { spread, type Strike, type Strikes, strikesOf } from './strikes.ts';

/**
 * Perturbs a scenario. Rejects with a `ScenarioError` when the scenario cannot be played undisturbed, ends differently each
 * time, or `plan` is none.
 */
export const perturb: Perturb = async (scenario, worlds, settings, signal) => {
  const only = settings.plan === undefined ? undefined : parsePlan(settings.plan);
  const asked = only === undefined ? [...new Set(settings.kinds)] : [only.kind];
  const learned = await learn(
    { scenario, worlds, signal },
    { isTwice: asked.includes('twice'), ...(only?.actions === undefined ? {} : { actions: only.actions }) },
  );
  const outcomes: Outcome[] = [];
  let left = settings.plans ?? Number.POSITIVE_INFINITY;
  for (const [index, kind] of asked.entries()) {
    const most = Math.ceil(left / (asked.length - index));
    const outcome = await ofKind(kind, learned, { ...settings, only, most });
    left -= outcome.report.plans;
    outcomes.push(outcome);
  }
  const kinds = outcomes.map(({ report }) => report);
  const sum = (numberOf: (report: KindReport) => number): number => kinds.reduce((all, one) => all + numberOf(one), 0);
  return {
    name: scenario.name,
    plans: sum(({ plans }) => plans),
    pruned: sum(({ pruned }) => pruned),
    leftOut: sum(({ leftOut }) => leftOut),
    kinds,
    findings: outcomes.flatMap(({ finding }) => finding ?? []),
  };
};

interface Outcome {
  readonly report: KindReport;
  readonly finding?: PerturbFinding;
}

async function ofKind(kind: PerturbKind, learned: Learned, limits: PlanLimits): Promise<Outcome> {
  if (kind === 'twice') return ofTwice(learned);
  if (kind === 'misuse') return makeMistakes(learned, limits);
  const strikes = strikesOf(kind, learned.story.timeline);
  const { plans, all } = limits.only === undefined ? strikes : onlyPlan(strikes, limits.only);
  const { found, played } = await playAll(learned, spread(plans, limits.most), limits);
  const report: KindReport = {
    kind,
    plans: played,
    pruned: limits.only === undefined ? all - plans.length : 0,
    leftOut: plans.length - played,
    failed: found.length,
  };
  for (const one of found) {
    const finding = await confirmed(learned, one, limits.isFirstEnough !== true);
    if (finding !== undefined) return { report, finding };
  }
  return { report: { ...report, failed: 0 } };
}

function onlyPlan({ plans, all }: Strikes, only: Plan): Strikes {
  const asked = JSON.stringify(only.disturbance);
  const known = plans.find(({ plan }) => JSON.stringify(plan.disturbance) === asked);
  const strike = { plan: only, step: 0, words: `disturbed by ${asked}`, ...known };
  return { all, plans: [{ ...strike, plan: only }] };
}

function ofTwice({ twice }: Learned): Outcome {
  const report: KindReport = { kind: 'twice', plans: 1, pruned: 0, leftOut: 0, failed: 0 };
  if (twice.differences.length === 0) return { report };
  const disturbance = 'everything runs once more, where nothing is left to be done';
  return { report: { ...report, failed: 1 }, finding: findingOf({ kind: 'twice' }, disturbance, twice) };
}

type Found = Strike & Told;

// As many as are under way at once; the worlds have their own limit.
const AT_ONCE = 4;

async function playAll(
  learned: Learned,
  strikes: readonly Strike[],
  { isFirstEnough = false, onPlan, only }: PlanLimits,
): Promise<{ readonly found: readonly Found[]; readonly played: number }> {
  const found = new Map<number, Found>();
  let next = 0;
  let played = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < strikes.length && !(isFirstEnough && found.size > 0); index = next++) {
      const strike = strikes[index];
      if (strike === undefined) return;
      const what = await disturbed(learned, strike.plan);
      played += 1;
      if (only !== undefined) checkStruck(strike.plan, what.timeline);
      onPlan?.(strike.plan.kind, played, strikes.length);
      if (what.differences.length > 0) found.set(index, { ...strike, ...what });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const inOrder = [...found].toSorted(([a], [b]) => a - b).map(([, one]) => one);
  return { found: inOrder, played: Math.min(next, strikes.length) };
}

/**
 * The finding once more, with the actions up to the strike alone where they still make the difference, otherwise with all.
 * What makes no difference the second time was the machine and not the hook: undefined.
 */
async function confirmed(
  spared: Learned,
  { plan, step, words }: Found,
  isShortened: boolean,
): Promise<PerturbFinding | undefined> {
  const learned = await spared.exact();
  if (isShortened && plan.actions === undefined && step < learned.actions) {
    const short = { ...plan, actions: step };
    const told = await disturbed(await learn(learned.stage, { isTwice: false, actions: step }), short);
    if (told.differences.length > 0) return findingOf(short, words, told);
  }
  const told = await disturbed(learned, plan);
  return told.differences.length > 0 ? findingOf(plan, words, told) : undefined;
}
