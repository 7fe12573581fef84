import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@hooklet/sandbox';
import { asJsonObject } from '../../src/kube/object.ts';
import type { OperatorRig } from './operator-rig.ts';

export { objectsIn, PARENTS, siteOf } from './reconcile-rig.ts';

/** The binding of `stepsHook`. */
export const STEPS = { name: 'steps', kind: 'ConfigMap', apiVersion: 'v1' } as const;

/** One run of `stepsHook`. */
export interface StepRun {
  readonly state: unknown;
}

/**
 * A warm hook that makes a Secret for each of `steps` steps, 3 by default, one in a run, and keeps how many are done. By
 * the data of its object it `waits` in the first run for the file `$OUT/go`, `forgets` its state at the end,
 * or `tells` of each step in all later runs as well.
 */
export function stepsHook(): string {
  return `
import { appendFileSync, existsSync } from 'node:fs';
import { reconcile } from 'hooklet';

let isFirst = true;

export default reconcile(${JSON.stringify(STEPS)}, async ({ object, state, patch }) => {
  if (object.metadata.labels?.site !== 'yes') return {};
  appendFileSync(process.env.OUT + '/runs', JSON.stringify({ state }) + '\\n');
  const { steps = '3', waits, forgets, tells } = object.data ?? {};
  while (waits && isFirst && !existsSync(process.env.OUT + '/go')) await new Promise((go) => setTimeout(go, 10));
  isFirst = false;
  const done = state?.done ?? 0;
  const step = (number) => ({ type: 'Normal', reason: 'Stepped', message: 'step ' + number, once: 'step ' + number });
  if (done >= Number(steps)) {
    const events = tells ? Array.from({ length: done }, (_, at) => step(at + 1)) : [];
    return { state: forgets ? null : state, events };
  }
  const made = { generateName: 'step-', namespace: 'default' };
  patch.create({ apiVersion: 'v1', kind: 'Secret', metadata: made, stringData: { step: String(done + 1) } });
  return { state: { done: done + 1 }, events: [step(done + 1)] };
});
`;
}

/** The runs of `stepsHook` so far. */
export function runsIn({ out }: Pick<OperatorRig, 'out'>): readonly StepRun[] {
  const path = join(out, 'runs');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line): StepRun => JSON.parse(line));
}

/** The metadata of an object. */
export function metadataOf(object: unknown): JsonObject {
  return JSON.parse(JSON.stringify(asJsonObject(asJsonObject(object)['metadata'])));
}
