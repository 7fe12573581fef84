/** What a person pauses. */
export type PauseTarget =
  | { readonly type: 'hook'; readonly hook: string }
  | { readonly type: 'queue'; readonly queue: string }
  | {
      readonly type: 'object';
      /** As the config of the hook names it, in any case; absent: any kind. */
      readonly kind?: string;
      /** Empty for a cluster-scoped object. */
      readonly namespace: string;
      readonly name: string;
      /** Absent: for all hooks. */
      readonly hook?: string;
    };

/** A pause by hand, as it is persisted. */
export interface Pause {
  readonly target: PauseTarget;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** A pause as `hooklet pause` lists it. */
export interface PauseStatus {
  readonly target: PauseTarget | { readonly type: 'namespace'; readonly namespace: string };
  /** `annotation`: `hooklet.dev/pause` on the object or on its namespace. */
  readonly by: 'hand' | 'annotation';
  /** Absent for an annotation. */
  readonly sinceMs?: number;
  /** How many runs wait for its end. */
  readonly held: number;
}

/** The commands for the pauses of a running operator. */
export interface PauseControl {
  /** Pauses by hand, then annotated namespaces, then annotated objects for which something waits. */
  list(): Promise<readonly PauseStatus[]>;
  /** Resolves to whether the pause survives a restart of the operator. Rejects with `UsageError` for an unknown hook. */
  pause(target: PauseTarget): Promise<boolean>;
  /** Resolves to how many runs it released. Rejects with `UsageError` when there is no such pause. */
  resume(target: PauseTarget): Promise<number>;
}

/** The annotation that pauses an object, or all objects of a namespace, unless its value is `false`. */
export const PAUSE_ANNOTATION = 'hooklet.dev/pause';
