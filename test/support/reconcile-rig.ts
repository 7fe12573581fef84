import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Sandbox } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { PARENT_LABEL, reconcileMark } from '../../src/hook/reconcile-mark.ts';
import { marksOf } from '../../src/effects/children/marks.ts';
import { sandboxCluster, startOperator, type OperatorRig, type RigOptions } from './operator-rig.ts';

/** The binding of `ANSWERING`. */
export const SITES = { name: 'sites', kind: 'ConfigMap', apiVersion: 'v1' } as const;

const OWNS = [{ apiVersion: 'v1', kind: 'Secret' }];
const SELECTOR = { matchLabels: { site: 'yes' } };

export const MARKS = marksOf(SITES.name, SITES);
export const MARK = reconcileMark(SITES);
export const PARENTS = '/api/v1/namespaces/default/configmaps';
export const CHILDREN = '/api/v1/namespaces/default/secrets';

/** One run of an answering hook. */
export interface AnsweredRun {
  readonly name: string;
  readonly reason: string;
  readonly attempt: number;
  readonly finalizing: boolean;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** The config of a hook with the binding `sites` on labelled ConfigMaps, which owns Secrets. */
export function sitesConfig(fields: object = {}): object {
  return { configVersion: 'v1', reconcile: [{ ...SITES, labelSelector: SELECTOR, owns: OWNS, ...fields }] };
}

/**
 * A warm hook that answers what the parent's data says: `children` are names with values, `a=1 b=2`; `answer` is a text
 * of JSON that is merged into it; with `fails` it throws. Each run is appended to `$OUT/runs`.
 */
export function answeringHook(fields: object = {}, pauseMs = 0): string {
  return `
import { appendFileSync } from 'node:fs';
import { Later, Permanent, reconcile } from 'hooklet';

export default reconcile(${JSON.stringify({ ...SITES, labelSelector: SELECTOR, owns: OWNS, ...fields })}, async (run) => {
  const { object, reason, attempt, finalizing } = run;
  const { children, answer, fails, later, permanent } = object.data ?? {};
  const beganMs = performance.timeOrigin + performance.now();
  if (${pauseMs} > 0) await new Promise((resolve) => setTimeout(resolve, ${pauseMs}));
  const endedMs = performance.timeOrigin + performance.now();
  const { name } = object.metadata;
  appendFileSync(process.env.OUT + '/runs', JSON.stringify({ name, reason, attempt, finalizing, beganMs, endedMs }) + '\\n');
  if (fails) throw new Error(fails);
  if (later) throw new Later(later, 'not yet');
  if (permanent) throw new Permanent('Broken', permanent);
  const wanted = (children ?? '').split(' ').filter(Boolean).map((one) => one.split('='));
  const made = wanted.map(([name, value]) => ({
    apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { value },
  }));
  return { ...(children !== undefined && { children: made }), ...JSON.parse(answer ?? '{}') };
});
`;
}

/** A parent of `SITES`. */
export function siteOf(name: string, data: Readonly<Record<string, string>> = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { site: 'yes' } },
    data,
  };
}

/** An operator with one hook on a sandbox. */
export function startSites(sandbox: Sandbox, hook: string, options: Partial<RigOptions> = {}): OperatorRig {
  const name = hook.startsWith('#!') ? 'site.sh' : 'site.ts';
  return startOperator({ hooks: { [name]: hook }, connect: sandboxCluster(sandbox), ...options });
}

/** The runs of an answering hook so far. */
export function runsOf({ out }: Pick<OperatorRig, 'out'>): readonly AnsweredRun[] {
  const path = join(out, 'runs');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line): AnsweredRun => JSON.parse(line));
}

/** The Secrets of the namespace as `name=value`, sorted. */
export async function childrenIn(sandbox: Sandbox): Promise<readonly string[]> {
  const all = await objectsIn(sandbox, CHILDREN);
  return all.map((object) => `${nameOf(object)}=${valueOf(object)}`).toSorted();
}

/** The objects of a collection. */
export async function objectsIn(sandbox: Sandbox, path: string): Promise<readonly JsonObject[]> {
  return objectsAt((await sandbox.call('GET', path)).body, 'items');
}

/** The requests that are no watches and lists, as `PATCH /api/v1/…`, without those for Leases, Events and dead letters. */
export function sentTo(sandbox: Sandbox): readonly string[] {
  return sandbox.requests
    .filter(
      ({ path }) =>
        /\/namespaces\/[^/]+\/[^/]+\/[^/]+/.test(path) &&
        !/\/(?:leases|events|hooklet-dead-letters)(?:\/|$)/.test(path),
    )
    .map(({ method, path }) => `${method} ${path}`);
}

/** The labels of a child of the parent with this uid. */
export function labelsOf(uid: string): Readonly<Record<string, string>> {
  return { 'hooklet.dev/reconcile': MARK, [PARENT_LABEL]: uid };
}

function nameOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'name');
}

function valueOf(object: JsonObject): string {
  return Buffer.from(textAt(object, 'data', 'value'), 'base64').toString();
}
