import type { RetryOptions } from './bindings.ts';
import type { HookConfig, HookSettings } from './config.ts';
import { attempt, MARK, type HookHost, type HookLog, type RunnableHook } from './define-hook.ts';
import type { KubernetesObject, ObjectLike } from './kubernetes-object.ts';
import { isCalledFromMainScript, runAsProgram } from './main-script.ts';
import { Metric } from './metric.ts';
import { Patch } from './patch.ts';
import { RunResult, type ChildToHave, type ConditionToSet, type EventToRecord, type RefusalToTell } from './result.ts';

/** What of an object is kept and shown. */
export interface ItemOptions {
  readonly jqFilter?: string;
  readonly jsonPathFilter?: string;
  /** Default: true without a filter, else false. */
  readonly keepFullObjectsInMemory?: boolean;
}

/** Which objects of a kind; the selectors are those of a `kubernetes` binding. */
export interface SelectionOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly nameSelector?: object;
  readonly labelSelector?: object;
  readonly fieldSelector?: object;
  readonly namespace?: object;
}

/** A kind of which the function makes objects. */
export interface OwnedOptions extends ItemOptions {
  readonly apiVersion: string;
  readonly kind: string;
  /** What happens to a child that differs from what should be there; default `Apply`. */
  readonly onChange?: 'Apply' | 'Recreate' | 'OnDelete' | 'RollingRecreate';
  /** Whether a namespaced parent may have such children in other namespaces; default false. */
  readonly otherNamespaces?: boolean;
  /** Whether the function does without the kind where the API server has none such; default false. */
  readonly optional?: boolean;
}

/** Objects of others that matter. */
export interface WatchedOptions extends SelectionOptions, ItemOptions {
  readonly name: string;
  /** A jq filter from such an object to the names of the parents it matters to. */
  readonly for: string;
  /** Whether the function does without the kind where the API server has none such; default false. */
  readonly optional?: boolean;
}

/** The binding of a reconcile hook; durations such as `10m`. */
export interface ReconcileOptions extends SelectionOptions {
  /** Default `reconcile`. */
  readonly name?: string;
  /** Decides which changes of the parent count; default: all but those of its status. */
  readonly jqFilter?: string;
  readonly jsonPathFilter?: string;
  readonly owns?: readonly OwnedOptions[];
  readonly watches?: readonly WatchedOptions[];
  /** How many parents are worked on at the same time; default 4. */
  readonly concurrency?: number;
  readonly resyncPeriod?: string;
  /** Whether the function is called before a parent is deleted; default false. */
  readonly finalize?: boolean;
  readonly onHookChange?: boolean;
  /** By what `hooklet start --shards` divides the parents; default `namespace`, for a cluster-scoped kind `uid`. */
  readonly shard?: 'namespace' | 'uid' | 'none';
  readonly retry?: RetryOptions;
  readonly settings?: HookSettings;
}

/** The elements of `watched` where a hook declares none: whole objects. */
export type WatchedObjects = Readonly<Record<string, KubernetesObject>>;

/** The argument of a reconcile function: one object, and what is around it. */
export interface ReconcileRun<Parent, Watched = WatchedObjects> {
  readonly object: Parent;
  /** The children by `Kind.group`, or `Kind` of the core group; with a filter, its results. */
  readonly owned: Readonly<Record<string, readonly KubernetesObject[]>>;
  /** What is watched, by its name; with a filter, its results. */
  readonly watched: { readonly [Name in keyof Watched]: readonly Watched[Name][] };
  /** Whether the object is being deleted. */
  readonly finalizing: boolean;
  readonly reason: string;
  /** From 1. */
  readonly attempt: number;
  /** What the last run kept with the object; `null` where there is nothing. */
  readonly state: unknown;
  /** The `output` of the last attempt. */
  readonly previous?: unknown;
  readonly runId: string;
  readonly patch: Patch;
  readonly metric: Metric;
  readonly log: HookLog;
  /** Aborts when the run exceeds its time limit or the operator stops. */
  readonly signal: AbortSignal;
}

/** What should be there; absent `children` are left as they are, an empty list means none of them. */
export interface ReconcileAnswer {
  readonly children?: readonly (ObjectLike | ChildToHave)[];
  readonly status?: Readonly<Record<string, unknown>>;
  readonly conditions?: readonly ConditionToSet[];
  readonly events?: readonly EventToRecord[];
  /** When the object is to be looked at again. */
  readonly retryAfter?: string;
  /** The object is not worked on until something changes. */
  readonly refused?: RefusalToTell;
  /** At most 64 KiB of JSON that is kept with the object for the next run; `null` keeps nothing. */
  readonly state?: unknown;
  /** The object may be deleted. */
  readonly finalized?: boolean;
  /** At most 64 KiB, given to the next attempt as `previous`. */
  readonly output?: unknown;
}

type Reconcile<Parent, Watched> = (
  run: ReconcileRun<Parent, Watched>,
) => ReconcileAnswer | void | Promise<ReconcileAnswer | void>;

/** The value that the module of a reconcile hook exports as default. */
export interface ReconcileHook<Parent, Watched = WatchedObjects> extends RunnableHook {
  /** The function of the author, for tests of the hook. */
  readonly reconcile: Reconcile<Parent, Watched>;
}

/**
 * Defines a hook of one reconcile binding by a function that gets an object and says what should be there. The module
 * exports it as default. What the function throws is the end of the run: `Later` and `Permanent` as everywhere, anything
 * else a failure that is tried again.
 */
export function reconcile<Parent = KubernetesObject, Watched = WatchedObjects>(
  options: ReconcileOptions,
  work: Reconcile<Parent, Watched>,
): ReconcileHook<Parent, Watched> {
  const hook: ReconcileHook<Parent, Watched> = {
    [MARK]: true,
    config: configOf(options),
    reconcile: work,
    execute: async (wire, host) => execute(wire, { host, options, work }),
  };
  if (isCalledFromMainScript()) runAsProgram(hook);
  return hook;
}

interface Parts<Parent, Watched> {
  readonly host: HookHost;
  readonly options: ReconcileOptions;
  readonly work: Reconcile<Parent, Watched>;
}

async function execute<Parent, Watched>(wire: unknown, { host, options, work }: Parts<Parent, Watched>) {
  const [patch, metric] = [new Patch(), new Metric()];
  const contexts: readonly unknown[] = Array.isArray(wire) ? wire : [];
  const result = new RunResult(() => contexts);
  const { thrown, ...ending } = await attempt(async () => {
    const [context, ...others] = contexts;
    if (context === undefined || others.length > 0) {
      throw new TypeError(`a reconcile hook is run for one binding context, and got ${contexts.length}`);
    }
    const fields = runFields(fieldsOf(context), options);
    // The casts are safe as far as the author's types fit the kinds and filters: the operator wrote what they say.
    const object = fields.object as Parent;
    const watched = fields.watched as ReconcileRun<Parent, Watched>['watched'];
    const answer = (await work({ ...fields, object, watched, patch, metric, ...host })) ?? {};
    checkFields(answer);
    say(result, answer);
  });
  return { patch: patch.toString(), metrics: metric.toString(), result: result.textWith(thrown), ...ending };
}

const ANSWER_FIELDS = [
  'children',
  'status',
  'conditions',
  'events',
  'retryAfter',
  'refused',
  'state',
  'finalized',
  'output',
];

function checkFields(answer: ReconcileAnswer): void {
  const unknown = Object.keys(answer).filter((field) => !ANSWER_FIELDS.includes(field));
  if (unknown.length === 0) return;
  throw new TypeError(`the answer has unknown fields: ${unknown.join(', ')}; expected ${ANSWER_FIELDS.join(', ')}`);
}

function say(result: RunResult, answer: ReconcileAnswer): void {
  const { conditions = [], events = [], retryAfter, refused, finalized } = answer;
  sayValues(result, answer);
  for (const condition of conditions) result.condition(condition);
  for (const event of events) result.event(event);
  if (retryAfter !== undefined) result.retryAfter(retryAfter);
  if (refused !== undefined) result.refuse(refused.reason, refused.message);
  if (finalized === true) result.finalized();
}

function sayValues(result: RunResult, { children, status, state, output }: ReconcileAnswer): void {
  if (children !== undefined) result.children(children);
  if (status !== undefined) result.status(status);
  if (state !== undefined) result.state(state);
  if (output !== undefined) result.output(output);
}

type Fields = Readonly<Record<string, unknown>>;

function runFields(context: Fields, { owns = [], watches = [] }: ReconcileOptions) {
  const { object, finalizing, reason, attempt: count, previous, runId, state = null } = context;
  return {
    object,
    owned: itemsBy(fieldsOf(context['owned']), new Map(owns.map((rule) => [ownedKey(rule), rule]))),
    watched: itemsBy(fieldsOf(context['watched']), new Map(watches.map((rule) => [rule.name, rule]))),
    finalizing: finalizing === true,
    reason: String(reason),
    runId: typeof runId === 'string' ? runId : '',
    attempt: Number(count),
    state,
    ...(previous !== undefined && { previous }),
  };
}

function itemsBy(
  sent: Fields,
  rules: ReadonlyMap<string, ItemOptions>,
): Readonly<Record<string, readonly KubernetesObject[]>> {
  const entries = [...rules].map(([name, rule]) => [name, readItems(sent[name], rule)]);
  return Object.fromEntries(entries) as Readonly<Record<string, readonly KubernetesObject[]>>;
}

function readItems(value: unknown, rule: ItemOptions): readonly unknown[] {
  const items = (Array.isArray(value) ? value : []).map(fieldsOf);
  if (!isFiltered(rule)) return items.map(({ object }) => object);
  return rule.keepFullObjectsInMemory === true ? items : items.map(({ filterResult }) => filterResult ?? null);
}

function configOf({ settings, owns, watches, ...binding }: ReconcileOptions): HookConfig {
  const parts = {
    ...(owns !== undefined && { owns: owns.map(withMemory) }),
    ...(watches !== undefined && { watches: watches.map(withMemory) }),
  };
  return { configVersion: 'v1', reconcile: [{ ...binding, ...parts }], ...(settings !== undefined && { settings }) };
}

// A function that sees only filter results does not need the operator to keep whole objects.
function withMemory<T extends ItemOptions>(rule: T): T {
  return { keepFullObjectsInMemory: !isFiltered(rule), ...rule };
}

function isFiltered({ jqFilter, jsonPathFilter }: ItemOptions): boolean {
  return jqFilter !== undefined || jsonPathFilter !== undefined;
}

function ownedKey({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? kind : `${kind}.${apiVersion.slice(0, slash)}`;
}

function fieldsOf(value: unknown): Fields {
  // Not copied: an object may be large.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
