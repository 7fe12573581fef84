import type { TestWorld } from '../../../src/testing/public.ts';
import { writesIn } from './evidence.ts';
import { playControllers } from './play-controllers.ts';

/** What is written in a day in which nothing happens, a line each, Events included. */
export async function quietDay(world: TestWorld, settle = playControllers): Promise<readonly string[]> {
  await settle(world);
  // What is due after the last change, such as another look at it.
  await world.tick('1h');
  await settle(world);
  const lines: string[] = [];
  // By the hour: one action may not take too long, and webhooks look after their certificates every ten seconds.
  for (let hour = 0; hour < 24; hour++) lines.push(...writesIn(await world.tick('1h')));
  return lines;
}
