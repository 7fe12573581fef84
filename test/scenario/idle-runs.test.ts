import { afterAll, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellHook } from '../support/world-hooks.ts';
import { only, worldRig } from '../support/world-rig.ts';

const rig = worldRig();
afterAll(async () => rig[Symbol.asyncDispose]());

const SCHEDULE = { configVersion: 'v1', schedule: [{ name: 'tick', crontab: '*/5 * * * * *' }] };
const map = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
};

function countsIn(folder: string): { readonly started: () => number; readonly body: string } {
  const file = join(folder, 'starts');
  return { body: `echo started >> ${file}`, started: () => readFileSync(file, 'utf8').split('\n').length - 1 };
}

it('of 120 runs of a schedule that does nothing 2 are processes, and 2 more after something has happened', async () => {
  const { body, started } = countsIn(rig.folder());
  await using world = await rig.open({ 'ticks.sh': shellHook(SCHEDULE, body) }, { isSparing: true });
  await world.act({ type: 'tick', ms: 600_000 });
  expect([only(world, 'run-ended').length, started()]).toEqual([120, 2]);

  await world.act({ type: 'apply', object: map });
  await world.act({ type: 'tick', ms: 60_000 });
  expect([only(world, 'run-ended').length, started()]).toEqual([132, 4]);
});

it('a schedule that asks for something is a process each time', async () => {
  const { body, started } = countsIn(rig.folder());
  const asks = `${body}; echo '{"name":"ticks","action":"add","value":1}' > "$METRICS_PATH"`;
  await using world = await rig.open({ 'ticks.sh': shellHook(SCHEDULE, asks) }, { isSparing: true });
  await world.act({ type: 'tick', ms: 30_000 });

  expect(started()).toBe(6);
});

it('without sparing each run is a process', async () => {
  const { body, started } = countsIn(rig.folder());
  await using world = await rig.open({ 'ticks.sh': shellHook(SCHEDULE, body) });
  await world.act({ type: 'tick', ms: 30_000 });

  expect(started()).toBe(6);
});
