import type { Bindings, KubernetesDeclaration, OnStartupDeclaration, ScheduleDeclaration } from './bindings.ts';

/** Why the hook runs: one of these for each thing that happened. */
export type Context<B extends Bindings> = { [Name in NameOf<B>]: ContextOf<Name, B[Name]> }[NameOf<B>];

/** All objects of every `kubernetes` binding, as they were when this run began. */
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
      : never;

export interface OnStartupContext<Name extends string> {
  readonly type: 'OnStartup';
  readonly binding: Name;
}

export interface ScheduleContext<Name extends string> {
  readonly type: 'Schedule';
  readonly binding: Name;
  /** The tick, in RFC 3339; a run by hand has the time at which it was asked for. */
  readonly scheduledAt: string;
  /** `catch-up`: the tick was missed and is made up for; `retry`: an earlier attempt failed or was interrupted. */
  readonly reason: 'tick' | 'catch-up' | 'retry' | 'manual';
  /** From 1; it counts on over a restart. */
  readonly attempt: number;
  /** The same in every attempt at this tick. */
  readonly runId: string;
  /** When a run of this binding last succeeded, in RFC 3339; absent when that is not known. */
  readonly lastSuccess?: string;
}

/** The objects that exist when the operator starts to watch. */
export interface SynchronizationContext<Name extends string, Element> {
  readonly type: 'Synchronization';
  readonly binding: Name;
  readonly objects: readonly Element[];
}

/** One object that changed, with the fields of its declaration: `object`, `filterResult`, or both. */
export type EventContext<Name extends string, EventFields> = {
  readonly type: 'Event';
  readonly binding: Name;
  readonly watchEvent: 'Added' | 'Modified' | 'Deleted';
} & EventFields;

/** Something happened to a member of the group: look at the snapshots. */
export interface GroupContext<Name extends string> {
  readonly type: 'Group';
  readonly binding: Name;
  readonly groupName: string;
}
