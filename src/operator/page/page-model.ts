import { hostname } from 'node:os';
import type { HookConfigError } from '../../errors.ts';
import { describeBindings, describeSelection, describeSettings } from '../../hook/describe.ts';
import type { OperatorView } from '../../hook/operator-view.ts';
import type { ScheduleControl } from '../../hook/schedule-control.ts';
import type { Environment } from '../../kube/environment.ts';
import type { Metrics } from '../../metrics.ts';
import type { HealthReport } from '../../server/health.ts';
import type { HookFacts, PageModel, ReplicaFacts, WatchFacts } from '../../server/page/model.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { GivenUp } from '../dead-letters/given-up.ts';
import { createHookHashes, type HashOf } from '../dead-letters/hook-hashes.ts';
import { changeText, fieldChanges } from '../dry-run/field-changes.ts';
import type { Activity } from './activity.ts';
import { containerMemory } from './container-memory.ts';
import type { Environments } from './environments.ts';
import type { Neighbors } from './neighbors.ts';

export interface PageModelParts {
  readonly view: OperatorView;
  readonly schedules: ScheduleControl;
  readonly controls: GivenUp['controls'];
  readonly loaded: LoadedHooks;
  readonly refusal: () => string | undefined;
  readonly health: () => HealthReport;
  readonly activity: Activity;
  readonly neighbors: Pick<Neighbors, 'look'>;
  readonly environments: Pick<Environments, 'change'>;
  readonly metrics: Pick<Metrics, 'filterSeconds' | 'reflectorRestarts' | 'certificateExpiry' | 'beforeRead'>;
  readonly env: Environment;
  /** Of requests to the API server: it has the version. */
  readonly userAgent: string;
  /** `namespace/name`; absent without leader election. */
  readonly lease?: string | undefined;
}

/** The hooks of the operator at this moment. */
export interface LoadedHooks {
  readonly units: readonly HookUnit[];
  readonly broken: readonly HookConfigError[];
}

const MAX_BINDINGS = 100;
const MAX_PROBLEM_LINES = 10;

/** The operator as the page sees it. */
export function createPageModel(parts: PageModelParts): PageModel {
  const { view, schedules, controls, refusal, activity, loaded } = parts;
  const hashOf = createHookHashes();
  const startedAtMs = Date.now();
  return {
    view,
    schedules,
    ...controls,
    refusal,
    hooks: async () => [
      ...loaded.broken.map(brokenFacts),
      ...(await Promise.all(loaded.units.map(async (unit) => hookFacts(unit, hashOf)))),
    ],
    watches: () => loaded.units.flatMap((unit) => watchFacts(unit, parts.metrics)),
    replica: () => replicaFacts(parts, startedAtMs),
    neighbors: parts.neighbors.look,
    environmentChange: parts.environments.change,
    curves: () => activity.minutes,
    timeoutOf: (name) => loaded.units.find(({ hook }) => hook.name === name)?.hook.settings.timeoutMs,
    memory: containerMemory,
    changeTexts: ({ before, after, isSecret }) =>
      fieldChanges(before, after).map((change) => changeText(change, isSecret)),
    version: () => activity.version,
  };
}

function brokenFacts({ hook: name, issues }: HookConfigError): HookFacts {
  const lines = issues
    .slice(0, MAX_PROBLEM_LINES)
    .map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
  return {
    name,
    type: 'process',
    state: 'broken',
    problem: lines.join('; '),
    bindings: [],
    warnings: [],
    settings: [],
  };
}

async function hookFacts({ hook, isEnabled }: HookUnit, hashOf: HashOf): Promise<HookFacts> {
  const hash = await hashOf(hook);
  const settings = describeSettings(hook.settings);
  return {
    name: hook.name,
    type: hook.type,
    state: isEnabled ? 'working' : 'starting',
    bindings: describeBindings(hook, Date.now()).slice(0, MAX_BINDINGS),
    warnings: hook.warnings ?? [],
    ...(hash !== undefined && { hash }),
    settings: settings === '' ? [] : [settings],
  };
}

function watchFacts(unit: HookUnit, metrics: PageModelParts['metrics']): readonly WatchFacts[] {
  const seen = new Map(unit.snapshots().map((one) => [one.binding, one]));
  return unit.statuses().map(([binding, { isSynced, problem, lastContactAtMs }]) => {
    const snapshot = seen.get(binding);
    const { added = 0, modified = 0, deleted = 0 } = snapshot?.sinceStart ?? {};
    return {
      hook: unit.hook.name,
      binding: binding.name,
      what: describeSelection(binding).join(', '),
      isSynced,
      ...(problem !== undefined && { problem }),
      ...(lastContactAtMs !== undefined && { lastContactAtMs }),
      ...(snapshot !== undefined && { objects: snapshot.snapshot.length, changes: added + modified + deleted }),
      restarts: restartsOf(binding.kind, metrics),
      ...filterTime(unit.hook.name, binding.name, metrics),
    };
  });
}

function restartsOf(kind: string, { reflectorRestarts }: PageModelParts['metrics']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { labels, value } of reflectorRestarts.series) {
    const reason = labels['reason'] ?? '';
    if (labels['kind']?.toLowerCase() === kind.toLowerCase() && value > 0)
      counts.set(reason, (counts.get(reason) ?? 0) + value);
  }
  return [...counts].map(([reason, count]) => `${reason} ${count}`);
}

function filterTime(
  hook: string,
  binding: string,
  { filterSeconds }: PageModelParts['metrics'],
): Pick<WatchFacts, 'filterMs'> {
  for (const { labels, sum, count } of filterSeconds.series) {
    if (labels['hook'] === hook && labels['binding'] === binding && count > 0)
      return { filterMs: (1000 * sum) / count };
  }
  return {};
}

function replicaFacts({ env, userAgent, lease, health, metrics }: PageModelParts, startedAtMs: number): ReplicaFacts {
  const { POD_NAME: pod = '' } = env;
  const certificates = [...metrics.certificateExpiry.series].flatMap(({ labels, value }) =>
    value > 0 ? [{ which: labels['which'] ?? '', expiresAtMs: value * 1000 }] : [],
  );
  return {
    name: pod === '' ? hostname() : pod,
    version: userAgent,
    startedAtMs,
    // Rounded, so that the page changes only when it matters.
    memoryBytes: Math.round(process.memoryUsage.rss() / 1_048_576) * 1_048_576,
    ...(lease !== undefined && { lease }),
    checks: health().checks,
    certificates,
  };
}
