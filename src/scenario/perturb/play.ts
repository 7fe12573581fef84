/* Plays a scenario in a world of its own, its actions alone: what the author expects is not looked at. */

import type { JsonObject } from '@hooklet/sandbox';
import { ScenarioError } from '../../errors.ts';
import type { Disturbance } from '../disturbance.ts';
import type { Scenario } from '../scenario.ts';
import type { Moment } from '../timeline.ts';
import type { Action, Given, World, Worlds } from '../world.ts';
import { revisionBefore } from './past.ts';
import type { Past } from './plan.ts';

/** What happened in one world, and what it left behind. */
export interface Story {
  readonly timeline: readonly Moment[];
  readonly objects: readonly JsonObject[];
  /** Why the world did not come to rest. */
  readonly stuck?: string;
}

/** What is played, where. */
export interface Stage {
  readonly scenario: Scenario;
  readonly worlds: Worlds;
  readonly signal: AbortSignal;
  /** Whether runs of schedules that do nothing are left out; default true. */
  readonly isSparing?: boolean;
}

/** How much of the scenario is played, how it is disturbed, and what follows when the world has recovered. */
export interface Performance {
  readonly actions?: number;
  readonly disturbance?: Disturbance | Past;
  /** Makes other uids and generated names. */
  readonly variant?: Given['variant'];
  readonly afterwards?: (world: World, story: Story) => Promise<void>;
}

/** Virtual time in which hooks may recover: longer than all delays of the first attempts together. */
export const RECOVERY_MS = 10 * 60_000;

// Many worlds share the machine, so each gets more real time than one that is tested alone.
const LIMIT_MS = 90_000;

/** The actions of a scenario, one after the other. */
export function actionsOf(scenario: Scenario): readonly Action[] {
  return scenario.steps.flatMap((step) => step.actions);
}

/**
 * Plays the actions, then lets the world recover: faults end, the operator lists all again, and `RECOVERY_MS` pass. The
 * undisturbed run recovers in the same way, so that what follows from that alone is no difference.
 */
export async function play(
  { scenario, worlds, signal, isSparing = true }: Stage,
  performance: Performance,
): Promise<Story> {
  const { disturbance, variant, actions, afterwards } = performance;
  const isOurs = disturbance === undefined || disturbance.type === 'past';
  const base = { limitMs: LIMIT_MS, isSparing, ...scenario.given, ...(variant && { variant }) };
  const given = isOurs ? base : { ...base, disturbance };
  await using world = await worlds.open(given, signal);
  try {
    await perform(world, actionsOf(scenario).slice(0, actions), disturbance);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return { timeline: [...world.timeline], objects: [], stuck: error.message };
  }
  const story = { timeline: [...world.timeline], objects: await world.objects() };
  await afterwards?.(world, story);
  return story;
}

async function perform(
  world: World,
  actions: readonly Action[],
  disturbance: Performance['disturbance'],
): Promise<void> {
  for (const action of actions) await world.act(action);
  if (disturbance?.type === 'past') await startInThePast(world, disturbance.event);
  await recover(world);
}

/** Ends faults, makes the operator list all again, and lets `RECOVERY_MS` pass. */
export async function recover(world: World): Promise<void> {
  await world.act({ type: 'clearFaults' });
  await world.act({ type: 'relist' });
  await world.act({ type: 'tick', ms: RECOVERY_MS });
}

const WATCHES = { type: 'silence', watch: true } as const;

// Lists are old and watches silent until the operator has acted; it must list, because a watch would begin with the present.
async function startInThePast(world: World, event: number): Promise<void> {
  const resourceVersion = revisionBefore(world.timeline, event);
  if (resourceVersion === undefined) return;
  const initial = { type: 'status', code: 422, watch: true, pattern: 'sendInitialEvents=true' } as const;
  for (const fault of [
    initial,
    { ...WATCHES, pattern: '^(?!.*sendInitialEvents)' },
    { type: 'staleList', resourceVersion } as const,
  ]) {
    await world.act({ type: 'fault', fault });
  }
  await world.act({ type: 'killOperator' });
}
