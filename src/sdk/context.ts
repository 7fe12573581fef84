import type { MutatingContext, MutatingDeclaration, ValidatingContext, ValidatingDeclaration } from './admission.ts';
import type { Bindings, KubernetesDeclaration, OnStartupDeclaration, ScheduleDeclaration } from './bindings.ts';
import type { HttpContext, HttpDeclaration } from './http.ts';

/** Why the hook runs: one context for each event, tick or other trigger. */
export type Context<B extends Bindings> = { [Name in NameOf<B>]: ContextOf<Name, B[Name]> }[NameOf<B>];

/** The objects of every `kubernetes` binding at the start of this run, by the name of the binding. */
export type Snapshots<B extends Bindings> = {
  readonly [Name in NameOf<B> as B[Name] extends KubernetesDeclaration<unknown, unknown> ? Name : never]: Snapshot<
    B[Name]
  >;
};

type NameOf<B extends Bindings> = keyof B & string;
type Snapshot<D> = D extends KubernetesDeclaration<infer Element, unknown> ? readonly Element[] : never;

type ContextOf<Name extends string, D> = D extends OnStartupDeclaration
  ? OnStartupContext<Name>
  : D extends ScheduleDeclaration
    ? ScheduleContext<Name> | GroupContext<Name>
    : D extends KubernetesDeclaration<infer Element, infer EventFields>
      ? SynchronizationContext<Name, Element> | EventContext<Name, EventFields> | GroupContext<Name>
      : D extends ValidatingDeclaration<infer Kind>
        ? ValidatingContext<Name, Kind>
        : D extends MutatingDeclaration<infer Kind>
          ? MutatingContext<Name, Kind>
          : D extends HttpDeclaration
            ? HttpContext<Name> | GroupContext<Name>
            : never;

export interface OnStartupContext<Name extends string> {
  readonly type: 'OnStartup';
  readonly binding: Name;
}

export interface ScheduleContext<Name extends string> {
  readonly type: 'Schedule';
  readonly binding: Name;
  /** When the tick was due, in RFC 3339; for a manual run, when it was triggered. */
  readonly scheduledAt: string;
  /** `catch-up`: the tick was missed and is run late; `retry`: an earlier attempt failed or was interrupted. */
  readonly reason: 'tick' | 'catch-up' | 'retry' | 'manual';
  /** Counts from 1, and continues over restarts of the operator. */
  readonly attempt: number;
  /** The same for every attempt at this tick. */
  readonly runId: string;
  /** When a run of this binding last succeeded, in RFC 3339; absent when no success is recorded. */
  readonly lastSuccess?: string;
}

/** The objects that exist when the operator begins to watch. */
export interface SynchronizationContext<Name extends string, Element> {
  readonly type: 'Synchronization';
  readonly binding: Name;
  readonly objects: readonly Element[];
  /** With `--shards`: these objects were taken over from another replica, and are all in `objects`. */
  readonly reason?: 'handover';
}

/** One object that changed: `object`, `filterResult`, or both, as declared. */
export type EventContext<Name extends string, EventFields> = {
  readonly type: 'Event';
  readonly binding: Name;
  readonly watchEvent: 'Added' | 'Modified' | 'Deleted';
} & EventFields;

/** A binding of the group was triggered; the snapshots have the current state. */
export interface GroupContext<Name extends string> {
  readonly type: 'Group';
  readonly binding: Name;
  readonly groupName: string;
}
