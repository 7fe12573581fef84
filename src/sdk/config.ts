import type { Bindings, KubernetesOptions, LockOptions, OnStartupDeclaration, RetryOptions } from './bindings.ts';
import type { ConversionFunction } from './conversion.ts';
import type { ExecutorOptions } from './executor-options.ts';

/** Limits of a hook; durations such as `30s`. */
export interface HookSettings {
  readonly executionMinInterval?: string;
  readonly executionBurst?: number;
  /** A run that takes longer is killed. */
  readonly timeout?: string;
  /** Of the bindings that have no `retry` of their own. */
  readonly retry?: RetryOptions;
  /** Of the bindings that have no `lock` of their own. */
  readonly lock?: LockOptions;
  /** Where its runs are executed; default: in the Pod of the operator. */
  readonly executor?: ExecutorOptions;
  /** Whether its runs are recorded where the operator has `--record`; default true. */
  readonly record?: boolean;
  /** Fields that are masked in recordings, such as `spec.auth.password`. */
  readonly redact?: readonly string[];
}

/** The config that the hook prints for `--config`. */
export type HookConfig = Readonly<Record<string, unknown>>;

/** Converts declarations to the config; every binding gets the snapshots of all `kubernetes` bindings. */
export function toConfig(bindings: Bindings, settings: HookSettings | undefined): HookConfig {
  const names = kubernetesNames(bindings);
  const snapshots = names.length === 0 ? {} : { includeSnapshotsFrom: names };
  const entries = Object.entries(bindings);
  const startups = entries.flatMap(([, binding]) => (binding.type === 'onStartup' ? [startOf(binding)] : []));
  if (startups.length > 1) throw new Error('a hook has at most one onStartup binding');
  const schedules = entries.flatMap(([name, binding]) =>
    binding.type === 'schedule' ? [{ name, crontab: binding.crontab, ...binding.options, ...snapshots }] : [],
  );
  const watches = entries.flatMap(([name, binding]) =>
    binding.type === 'kubernetes' ? [{ name, ...binding.options, ...memoryUse(binding.options), ...snapshots }] : [],
  );
  const plain = (type: 'http' | 'validating' | 'mutating') =>
    nonEmpty(
      entries.flatMap(([name, binding]) => (binding.type === type ? [{ name, ...binding.options, ...snapshots }] : [])),
    );
  const conversions = entries.flatMap(([name, binding]) =>
    // Without snapshots, which a converter had to wait for.
    binding.type === 'conversion'
      ? [{ name, crdName: binding.crdName, conversions: binding.rules.map(versionsOf) }]
      : [],
  );
  const parts = {
    onStartup: startups[0],
    schedule: nonEmpty(schedules),
    kubernetes: nonEmpty(watches),
    http: plain('http'),
    kubernetesValidating: plain('validating'),
    kubernetesMutating: plain('mutating'),
    kubernetesCustomResourceConversion: nonEmpty(conversions),
    settings,
  };
  return { configVersion: 'v1', ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) };
}

function startOf({ order, lock }: OnStartupDeclaration): unknown {
  return lock === undefined ? order : { order, lock };
}

function versionsOf({ fromVersion, toVersion }: ConversionFunction): object {
  return { fromVersion, toVersion };
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The names of the bindings that have a snapshot. */
export function kubernetesNames(bindings: Bindings): readonly string[] {
  return Object.keys(bindings).filter((name) => bindings[name]?.type === 'kubernetes');
}

/** Whether the binding has a filter. */
export function isFiltered({ jqFilter, jsonPathFilter }: KubernetesOptions): boolean {
  return jqFilter !== undefined || jsonPathFilter !== undefined;
}

// A hook that sees only filter results does not need the operator to keep whole objects.
function memoryUse(options: KubernetesOptions): { readonly keepFullObjectsInMemory: boolean } {
  return { keepFullObjectsInMemory: options.keepFullObjectsInMemory ?? !isFiltered(options) };
}
