import { unreachable } from '../lib/unreachable.ts';
import type { AdmissionBinding, ConversionBinding } from './ask-binding.ts';
import type {
  Binding,
  Hook,
  HookLock,
  HookSettings,
  KubernetesBinding,
  NamespaceSelector,
  ObjectSelection,
  ReconcileBinding,
  RetryRule,
  ScheduleBinding,
} from './binding.ts';
import { describeExecutor } from './describe-executor.ts';
import type { HttpBinding } from './http-binding.ts';
import { DEFAULT_PARALLELISM } from './task.ts';
import { nextRun } from '../crontab/next.ts';
import { goDuration } from '../lib/duration.ts';
import { jitterOf } from './jitter.ts';
import { ownedKey } from './reconcile-mark.ts';
import type { Shard } from './shard.ts';

const MAX_EXPRESSION = 60;

/** One line for each binding of a hook; a schedule with its next run after `nowMs`. */
export function describeBindings(hook: Hook, nowMs: number): readonly string[] {
  return hook.bindings.map((binding) => describeBinding(hook, binding, nowMs));
}

/** The settings that differ from the default, each with its field name in the config. */
export function describeSettings(settings: HookSettings): string {
  const { executionMinIntervalMs, executionBurst, timeoutMs, retry, lock, executor } = settings;
  return [
    executionMinIntervalMs !== undefined && `executionMinInterval ${goDuration(executionMinIntervalMs)}`,
    executionBurst !== undefined && `executionBurst ${executionBurst}`,
    timeoutMs !== undefined && `timeout ${goDuration(timeoutMs)}`,
    retry !== undefined && `retry ${describeRetry(retry)}`,
    lock !== undefined && `lock ${lockText(lock)}`,
    executor !== undefined && describeExecutor(executor),
  ]
    .filter(Boolean)
    .join(', ');
}

function describeBinding(hook: Hook, binding: Binding, nowMs: number): string {
  switch (binding.type) {
    case 'onStartup':
      return `onStartup ${binding.order}${describeLock(binding)}`;
    case 'schedule': {
      const offsetMs = jitterOf(hook.name, binding);
      const next = new Date(nextRun(binding.crontab, nowMs - offsetMs) + offsetMs).toISOString();
      const when = `"${binding.crontab.source}"${describeZone(binding)}, next ${next}`;
      return `schedule ${binding.name}: ${when}${describePolicy(binding)}${describeRun(binding)}`;
    }
    case 'kubernetes':
      return `kubernetes ${binding.name}: ${describeWatch(binding)}${describeRun(binding)}`;
    case 'reconcile':
      return `reconcile ${binding.name}: ${describeReconcile(binding)}${describeLock(binding)}`;
    case 'kubernetesValidating':
    case 'kubernetesMutating':
      return `${binding.type} ${binding.name}: ${describeAdmission(binding)}`;
    case 'http':
      return `http ${binding.name}: POST /trigger/${hook.name}/${binding.name}, ${describeCallers(binding)}${describeRun(binding)}`;
    case 'kubernetesCustomResourceConversion':
      return `${binding.type} ${binding.name}: ${describeConversion(binding)}`;
    default:
      return unreachable(binding);
  }
}

/** The time zone, unless the crontab names it. */
function describeZone({ crontab: { source, timeZone } }: ScheduleBinding): string {
  return timeZone === undefined || source.includes('TZ=') ? '' : ` in ${timeZone}`;
}

/** The schedule options that differ from the default. */
function describePolicy({ concurrency, missed, startingDeadlineMs, jitterMs, suspendAfter }: ScheduleBinding): string {
  return [
    ...(concurrency === 'queue' ? [] : [`, concurrency ${concurrency}`]),
    ...(missed.type === 'skip' ? [] : [`, missed ${missed.type}`]),
    ...(startingDeadlineMs === undefined ? [] : [`, no later than ${goDuration(startingDeadlineMs)}`]),
    ...(jitterMs === 0 ? [] : [`, jitter up to ${goDuration(jitterMs)}`]),
    ...(suspendAfter === undefined ? [] : [`, suspended after ${suspendAfter} failed in a row`]),
  ].join('');
}

function describeReconcile(binding: ReconcileBinding): string {
  const { owns, watches, parallelism, resyncPeriodMs, finalize } = binding;
  return [
    ...describeSelection(binding),
    ...(owns.length === 0 ? [] : [`owns ${owns.map((one) => `${ownedKey(one)}${describeOptional(one)}`).join(' ')}`]),
    ...(watches.length === 0
      ? []
      : [`watches ${watches.map((one) => `${one.name}${describeOptional(one)}`).join(' ')}`]),
    `${parallelism} at a time`,
    ...(resyncPeriodMs === undefined ? [] : [`again within ${goDuration(resyncPeriodMs)}`]),
    ...(finalize ? ['finalizes'] : []),
    ...describeShard(binding),
  ].join(', ');
}

function describeShard({ shard }: { readonly shard?: Shard }): readonly string[] {
  return shard === undefined ? [] : [`shard ${shard}`];
}

function describeOptional({ isOptional }: { readonly isOptional?: true }): string {
  return isOptional === true ? ' (optional)' : '';
}

function describeAdmission({
  rules,
  timeoutSeconds,
  failurePolicy,
  objectSelector,
  ...rest
}: AdmissionBinding): string {
  return [
    ...rules.map(({ operations, resources }) => `${operations.join(' ')} of ${resources.join(' ')}`),
    ...(rules.length === 0 ? ['no rules'] : []),
    ...(rest.namespaceSelector === undefined ? [] : ['namespaces by label']),
    ...(objectSelector === undefined ? [] : ['by label']),
    ...(failurePolicy === undefined ? [] : [`failurePolicy ${failurePolicy}`]),
    `within ${timeoutSeconds}s`,
  ].join(', ');
}

function describeCallers({ authentication: { type }, rateLimit: { perMinute } }: HttpBinding): string {
  return `${type === 'token' ? 'with a token' : `signed by ${type}`}, at most ${perMinute} a minute`;
}

function describeConversion({ crdName, conversions }: ConversionBinding): string {
  return [crdName, ...conversions.map(({ fromVersion, toVersion }) => `${fromVersion} to ${toVersion}`)].join(', ');
}

/** Which objects a binding selects: the kind, the namespaces, and whether labels or fields decide. */
export function describeSelection(selection: ObjectSelection): readonly string[] {
  const { apiVersion, kind, names, namespace, labelSelector, fieldSelector } = selection;
  return [
    `${apiVersion === undefined ? '' : `${apiVersion} `}${kind}${names === undefined ? '' : ` ${names.join(' ')}`}`,
    describeNamespace(namespace),
    ...(labelSelector === undefined ? [] : ['by label']),
    ...(fieldSelector === undefined ? [] : ['by field']),
  ];
}

function describeWatch(binding: KubernetesBinding): string {
  const { executeHookOnEvent, filter, settle } = binding;
  const { concurrency, parallelism = DEFAULT_PARALLELISM } = binding;
  const events = executeHookOnEvent.length === 0 ? 'no events' : executeHookOnEvent.join(' ');
  return [
    ...describeSelection(binding),
    events,
    ...(filter === undefined ? [] : [`${filter.type}Filter ${shorten(filter.expression)}`]),
    ...(settle === undefined ? [] : [`settled for ${goDuration(settle.quietMs)}, at most ${goDuration(settle.maxMs)}`]),
    ...(concurrency === undefined ? [] : [`${parallelism} objects side by side`]),
    ...describeShard(binding),
  ].join(', ');
}

function shorten(expression: string): string {
  const line = expression.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_EXPRESSION ? `${line.slice(0, MAX_EXPRESSION)}…` : line;
}

function describeNamespace(namespace: NamespaceSelector | undefined): string {
  if (namespace === undefined) return 'all namespaces';
  return namespace.type === 'labels' ? 'namespaces by label' : `in ${namespace.names.join(' ')}`;
}

function describeRun({ queue, group, retry, lock }: RunPlace): string {
  return [
    ...(queue === 'main' ? [] : [`, queue ${queue}`]),
    ...(group === undefined ? [] : [`, group ${group}`]),
    ...(retry === undefined ? [] : [`, retry ${describeRetry(retry)}`]),
    describeLock({ lock }),
  ].join('');
}

function describeLock({ lock }: { readonly lock?: HookLock | undefined }): string {
  return lock === undefined ? '' : `, lock ${lockText(lock)}`;
}

function lockText({ name, namespace, waitMs }: HookLock): string {
  const wait = waitMs === undefined ? '' : ` for at most ${goDuration(waitMs)}`;
  return `${namespace === undefined ? '' : `${namespace}/`}${name}${wait}`;
}

interface RunPlace {
  readonly queue: string;
  readonly group?: string;
  readonly retry?: RetryRule;
  readonly lock?: HookLock;
}

/** Such as `after 5s to 5m, 3 attempts, for 1h, then dead`. */
function describeRetry({ max, backoff, deadlineMs, onExhausted }: RetryRule): string {
  const isBounded = max !== undefined || deadlineMs !== undefined;
  return [
    ...(backoff === undefined ? [] : [`after ${goDuration(backoff.firstMs)} to ${goDuration(backoff.maxMs)}`]),
    ...(max === undefined ? [] : [`${max} attempt${max === 1 ? '' : 's'}`]),
    ...(deadlineMs === undefined ? [] : [`for ${goDuration(deadlineMs)}`]),
    ...(isBounded ? [`then ${onExhausted}`] : []),
  ].join(', ');
}
