export {
  AdmissionAnswer,
  type AdmissionRequest,
  type AdmissionRule,
  mutating,
  type MutatingOptions,
  validating,
  type ValidatingOptions,
} from './admission.ts';
export {
  type Bindings,
  type FilteredObject,
  type FilterOutcome,
  kubernetes,
  type KubernetesOptions,
  type LockedOptions,
  type LockOptions,
  onStartup,
  type QueueOptions,
  type RetryOptions,
  schedule,
  type ScheduleOptions,
} from './bindings.ts';
export type { HookSettings } from './config.ts';
export {
  environment,
  type Environment,
  EnvironmentError,
  type EnvironmentOptions,
  type EnvironmentProblem,
  type Variables,
} from './environment.ts';
export { describeEnvironment, environmentTable, type VariableDescription } from './environment-table.ts';
export { list, type ListOptions } from './list-variable.ts';
export { boolean, duration, type DurationOptions, integer, number, type NumberOptions } from './number-variables.ts';
export { file, oneOf, secret, text, type TextOptions, url, type UrlOptions } from './text-variables.ts';
export type { ValueOf, Variable, VariableOptions } from './variable.ts';
export { conversion, type ConversionOptions } from './conversion.ts';
export type { Context, Snapshots } from './context.ts';
export {
  defineHook,
  type DefinitionResult,
  type HookDefinition,
  type HookHost,
  type HookLog,
  type HookRun,
  isHookDefinition,
  type RunnableHook,
} from './define-hook.ts';
export { http, type HttpContext, type HttpOptions, type HttpRequest } from './http.ts';
export type {
  KubernetesObject,
  NewObject,
  NewObjectMeta,
  ObjectLike,
  ObjectMeta,
  ObjectToWrite,
  OwnerReference,
} from './kubernetes-object.ts';
export { Later, Permanent } from './ending.ts';
export { condition, event, ownedBy, type OwnedByOptions } from './shorthands.ts';
export {
  reconcile,
  type ItemOptions,
  type OwnedOptions,
  type ReconcileAnswer,
  type ReconcileHook,
  type ReconcileOptions,
  type ReconcileRun,
  type SelectionOptions,
  type WatchedObjects,
  type WatchedOptions,
} from './reconcile.ts';
export type { ChildToHave, ConditionToSet, ContextResult, EventToRecord, RefusalToTell, RunResult } from './result.ts';
export type { Metric, MetricOptions, ObserveOptions } from './metric.ts';
export type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  ObjectAddress,
  Patch,
  PatchOptions,
  Target,
} from './patch.ts';
