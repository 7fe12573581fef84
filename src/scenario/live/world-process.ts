/*
 * The process of a world: it has one world at a time, and answers the requests of its parent one after the other. Its
 * clock is driven from the first world on. It ends when its parent does.
 */

import { rmdirSync } from 'node:fs';
import { HookletError, ScenarioError } from '../../errors.ts';
import type { Moment } from '../timeline.ts';
import { act } from './act.ts';
import { LentSpawners } from './lent-spawners.ts';
import { LiveWorld } from './live-world.ts';
import type { OptionsOf } from './start-life.ts';
import { installClock, VirtualClock } from './virtual-clock.ts';
import { readRequest, type WorldReport, type WorldRequest, type WorldValue } from './world-messages.ts';

const BATCH = 200;
/** How often the parent hears that this process is alive while it works. */
const SIGN_MS = 2000;

/** Answers the requests of the parent until it disconnects; `folder` is for the files of worlds. */
export function serveWorlds(optionsOf: OptionsOf, folder: string): void {
  const clock = new VirtualClock(Date.now());
  installClock(clock);
  const spawners = new LentSpawners();
  const moments: Moment[] = [];
  const flush = (): void => {
    if (moments.length > 0) send({ type: 'moments', moments: moments.splice(0) });
  };
  const tell = (moment: Moment): void => {
    moments.push(moment);
    if (moments.length >= BATCH) flush();
  };
  const state: { world?: LiveWorld | undefined } = {};
  const onMade = (world: LiveWorld): void => void (state.world = world);
  const parts = { clock, optionsOf, tell, folder, onMade, takeSpawner: () => spawners.take() };
  const answer = async (request: WorldRequest): Promise<void> => {
    // In real time, which no world drives.
    const sign = setInterval(() => send({ type: 'moments', moments: moments.splice(0) }), SIGN_MS);
    try {
      const value = await answered(request, state, parts);
      flush();
      send({ type: 'done', id: request.id, nowMs: clock.nowMs, value });
    } catch (error) {
      flush();
      send({ type: 'failed', id: request.id, ...failureOf(error) });
    } finally {
      clearInterval(sign);
    }
  };
  let last = Promise.resolve();
  process.on('message', (message) => {
    last = last.then(() => answer(readRequest(message)));
  });
  process.on('disconnect', () => {
    void end(state.world, folder).finally(() => {
      spawners.end();
      process.exit();
    });
  });
  spawners.prepare();
  send({ type: 'ready' });
}

/** Ends the hooks of the world, and leaves nothing behind, also where the parent was killed and cannot. */
async function end(world: LiveWorld | undefined, folder: string): Promise<void> {
  try {
    await world?.[Symbol.asyncDispose]();
    rmdirSync(folder);
  } catch {
    // The parent has removed it, or will.
  }
}

async function answered(
  request: WorldRequest,
  state: { world?: LiveWorld | undefined },
  parts: Parameters<typeof LiveWorld.open>[1],
): Promise<WorldValue> {
  if (request.type === 'open') {
    try {
      await LiveWorld.open(request.given, parts);
    } catch (error) {
      state.world = undefined;
      throw error;
    }
    return {};
  }
  const { world } = state;
  if (world === undefined) throw new ScenarioError('the world is closed');
  switch (request.type) {
    case 'act': {
      const answer = await act(world, request.action);
      return answer === undefined ? {} : { answer };
    }
    case 'objects':
      return { objects: world.cluster.objects() };
    case 'metrics':
      return { metrics: await world.life.inside.metricsText() };
    case 'close':
      state.world = undefined;
      await world[Symbol.asyncDispose]();
      return {};
  }
}

function send(report: WorldReport): void {
  // Who has ended needs no report: `disconnect` ends this process.
  process.send?.(report, undefined, undefined, () => {});
}

function failureOf(error: unknown): { readonly message: string; readonly isExpected: boolean } {
  if (error instanceof HookletError) return { message: error.message, isExpected: true };
  return { message: error instanceof Error ? String(error.stack) : String(error), isExpected: false };
}
