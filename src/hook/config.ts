import type { Issue } from '../errors.ts';
import { isAskBinding } from './ask-binding.ts';
import type { Binding, HookLock, HookSettings } from './binding.ts';
import { checkWebhookNames, createAdmissionReader, toAdmissionBinding } from './config-admission.ts';
import { readConversionEntry, toConversionBinding } from './config-conversion.ts';
import { checkExecutor } from './config-executor.ts';
import { readConfigDocument } from './config-document.ts';
import { readOnStartup } from './config-lock.ts';
import {
  createKubernetesReader,
  kubernetesName,
  toKubernetesBinding,
  type CheckFilter,
  type KubernetesEntry,
} from './config-kubernetes.ts';
import { checkHttpNames, readHttpEntry, toHttpBinding } from './config-http.ts';
import {
  inside,
  readFields,
  readList,
  report,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { checkReconcileNames, countWatches, createReconcileReader, toReconcileBinding } from './config-reconcile.ts';
import { readScheduleEntry, toScheduleBinding } from './config-schedule.ts';
import { readSettings } from './config-settings.ts';
import { checkSnapshots, effectiveSnapshots } from './config-snapshots.ts';
import { readConfigV0 } from './config-v0.ts';
import { isObject } from '../lib/json-object.ts';

/** A valid config, or all its problems. */
export type ParsedConfig =
  | {
      readonly type: 'valid';
      readonly bindings: readonly Binding[];
      readonly settings: HookSettings;
      /** Likely mistakes that are no problems. */
      readonly warnings?: readonly string[];
    }
  | { readonly type: 'invalid'; readonly issues: readonly Issue[] };

/** Reads the output of `hook --config`: YAML or JSON with `configVersion: v1`, or the old format without it. */
export function parseConfig(text: string, checkFilter: CheckFilter): ParsedConfig {
  const document = readConfigDocument(text);
  if (document.type === 'unreadable') return { type: 'invalid', issues: document.issues };
  const warnings = [...(document.warnings ?? [])];
  const place: Place = { path: '', issues: [], warnings, hasPhrases: true };
  const read = readVersioned(document.value, checkFilter, place);
  if (read === undefined || place.issues.length > 0) return { type: 'invalid', issues: place.issues };
  return { type: 'valid', ...read, ...(warnings.length > 0 && { warnings }) };
}

type ReadConfig = Omit<Extract<ParsedConfig, { readonly type: 'valid' }>, 'type' | 'warnings'>;

function readVersioned(value: unknown, checkFilter: CheckFilter, place: Place): ReadConfig | undefined {
  if (isObject(value) && !Object.hasOwn(value, 'configVersion')) {
    return { bindings: readConfigV0(value, checkFilter, place), settings: {} };
  }
  const config = readConfig(value, checkFilter, place);
  if (config === undefined) return undefined;
  const bindings = toBindings(config);
  const settings = config.settings ?? {};
  checkExecutor(settings.executor, bindings, inside(inside(place, 'settings'), 'executor'));
  return { bindings, settings };
}

/** Each binding costs a watch or a timer, and its series in the metrics; real hooks have a handful of bindings. */
const MAX_BINDINGS = 500;

type Config = Fields<ReturnType<typeof createShape>>;

function readConfig(value: unknown, checkFilter: CheckFilter, place: Place): Config | undefined {
  if (!isObject(value)) {
    return reportValue(place, value, 'a mapping with configVersion: v1 and bindings', 'config unmarshal');
  }
  const config = readFields(createShape(checkFilter))(value, place);
  const bindings = countBindings(config);
  if (bindings > MAX_BINDINGS) {
    report(place, `got ${bindings} bindings, expected at most ${MAX_BINDINGS}; divide them among several hooks`);
    // The author would not read the problems of so many bindings.
    return undefined;
  }
  if (Object.keys(value).every((key) => key === 'configVersion')) {
    const expected = `expected some of onStartup, ${WITH_SNAPSHOTS.join(', ')}`;
    report(place, `the hook has no bindings, ${expected}`, 'should have at least 2 properties');
  }
  checkAllSnapshots(config, place);
  checkHttpNames(config.http ?? [], place);
  checkReconcileNames(config.reconcile ?? [], otherNames(config), place);
  const { kubernetesValidating, kubernetesMutating } = config;
  checkWebhookNames({ kubernetesValidating, kubernetesMutating }, place);
  return config;
}

function countBindings({ schedule = [], kubernetes = [], reconcile = [], ...asked }: Config): number {
  const { kubernetesValidating = [], kubernetesMutating = [], kubernetesCustomResourceConversion = [] } = asked;
  const asks = kubernetesValidating.length + kubernetesMutating.length + kubernetesCustomResourceConversion.length;
  return schedule.length + kubernetes.length + asks + reconcile.reduce((sum, entry) => sum + countWatches(entry), 0);
}

function otherNames({ schedule = [], kubernetes = [] }: Config): readonly string[] {
  return [...new Set([...schedule.map(({ name = 'schedule' }) => name), ...kubernetes.map(kubernetesName)])];
}

function createShape(checkFilter: CheckFilter) {
  return {
    configVersion: readVersion,
    onStartup: readOnStartup,
    schedule: readList(readScheduleEntry, 1),
    kubernetes: readList(createKubernetesReader(checkFilter), 1),
    reconcile: readList(createReconcileReader(checkFilter), 1),
    kubernetesValidating: readList(createAdmissionReader('kubernetesValidating'), 1),
    kubernetesMutating: readList(createAdmissionReader('kubernetesMutating'), 1),
    kubernetesCustomResourceConversion: readList(readConversionEntry, 1),
    http: readList(readHttpEntry, 1),
    settings: readSettings,
  };
}

const readVersion: Read<'v1'> = (value, place) =>
  value === 'v1' ? value : reportValue(place, value, '"v1"', `config version: ${versionPhrase(value)}`);

function versionPhrase(value: unknown): string {
  if (value === null) return "missing 'configVersion' value";
  if (typeof value !== 'string') return "string value is expected for key 'configVersion'";
  return `'configVersion' value '${value}' is unsupported`;
}

const WITH_SNAPSHOTS = [
  'schedule',
  'kubernetes',
  'reconcile',
  'kubernetesValidating',
  'kubernetesMutating',
  'kubernetesCustomResourceConversion',
  'http',
] as const;

function checkAllSnapshots(config: Config, place: Place): void {
  const sources = snapshotSources(config);
  for (const field of WITH_SNAPSHOTS) {
    for (const [index, entry] of (config[field] ?? []).entries()) {
      checkSnapshots(entry, sources, inside(inside(place, field), index));
    }
  }
}

const ADMISSION = ['kubernetesValidating', 'kubernetesMutating'] as const;

function toBindings(config: Config): readonly Binding[] {
  const sources = snapshotSources(config);
  const retry = config.settings?.retry;
  const bindings = [
    config.onStartup === undefined ? undefined : ({ type: 'onStartup', ...config.onStartup } as const),
    ...(config.schedule ?? []).map((entry) => toScheduleBinding(entry, effectiveSnapshots(entry, sources), retry)),
    ...(config.kubernetes ?? []).map((entry) => toKubernetesBinding(entry, effectiveSnapshots(entry, sources), retry)),
    ...(config.reconcile ?? []).map((entry) => toReconcileBinding(entry, effectiveSnapshots(entry, sources), retry)),
    ...ADMISSION.flatMap((type) =>
      (config[type] ?? []).map((entry) => toAdmissionBinding(type, entry, effectiveSnapshots(entry, sources))),
    ),
    ...(config.kubernetesCustomResourceConversion ?? []).map((entry) =>
      toConversionBinding(entry, effectiveSnapshots(entry, sources)),
    ),
    ...(config.http ?? []).map((entry) => toHttpBinding(entry, effectiveSnapshots(entry, sources), retry)),
  ];
  const lock = config.settings?.lock;
  return bindings.filter((binding) => binding !== undefined).map((binding) => withLock(binding, lock));
}

/** A binding without a lock of its own has that of its hook; a caller that waits for a response waits for no lock. */
function withLock(binding: Binding, lock: HookLock | undefined): Binding {
  if (lock === undefined || isAskBinding(binding) || binding.lock !== undefined) return binding;
  return { ...binding, lock };
}

function snapshotSources({ kubernetes = [] }: Config): readonly { name: string; group: string | undefined }[] {
  return kubernetes.map((entry: KubernetesEntry) => ({ name: kubernetesName(entry), group: entry.group }));
}
