import type { KubernetesBinding } from '../hook/binding.ts';
import type { OwnSlice } from '../hook/shard.ts';
import type { EventTrigger } from '../hook/trigger.ts';
import { latch } from '../lib/latch.ts';
import type { MonitorListener } from '../sources/kubernetes/monitor.ts';
import type { ObservedChange } from '../sources/kubernetes/wanted-events.ts';
import { SynchronizedEvents } from './synchronized-events.ts';

export interface UnitBindingOptions {
  /** Called once, when the first list is complete. */
  readonly onSynced: () => void;
  readonly onProblem: (error: unknown) => void;
  /** Receives the events that are to run the hook. */
  readonly onEvent: (trigger: EventTrigger) => void;
  /** An object changed, and the binding wants no event of that. */
  readonly onSeen?: (change: ObservedChange) => void;
  /** An event does not run the hook now; `reason` is a phrase for the log. */
  readonly onHeld: (trigger: EventTrigger, reason: string) => void;
  /** The objects of a slice that was taken are known, and a Synchronization of them is to be queued. */
  readonly onHandover?: (slice: OwnSlice) => void;
  /** The snapshot shows a slice that was taken. */
  readonly onSliceListed?: () => void;
  /** A slice was given: nothing of it is owed any more. */
  readonly onGiven?: (slice: OwnSlice) => void;
}

/**
 * One kubernetes binding of a hook at work, which keeps its events in step with its Synchronization. Its monitor calls
 * it as a listener; its unit calls the other methods, at the hook's turn at boot and around each run. No event is lost
 * or delivered twice: one that comes before an attempt reads the objects is part of the Synchronization, and one that
 * comes after it is held until the Synchronization is done.
 *
 * Where objects are divided, a slice that is not listed when the unit is enabled, or is taken later, has a Synchronization
 * of its own, and its events are held for that one; all other slices share the one of the start.
 */
export class UnitBinding implements MonitorListener {
  readonly binding: KubernetesBinding;
  readonly #options: UnitBindingOptions;
  readonly #synced = latch();
  readonly #events: SynchronizedEvents;
  /** Slices that were taken after `synced` and are not listed. */
  readonly #taken = new Set<OwnSlice>();
  /** The slices with a Synchronization of their own. */
  readonly #late = new Map<OwnSlice, SynchronizedEvents>();
  #isEnabled = false;

  constructor(binding: KubernetesBinding, options: UnitBindingOptions) {
    this.binding = binding;
    this.#options = options;
    this.#events = new SynchronizedEvents(options);
  }

  get isSynced(): boolean {
    return this.#events.isListed;
  }

  /** Resolves when the first list is complete. */
  get whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  synced(): void {
    if (this.isSynced) return;
    this.#events.listed();
    this.#synced.resolve();
    this.#options.onSynced();
  }

  event(trigger: EventTrigger): void {
    const { slice } = trigger;
    const late = slice === undefined ? undefined : this.#late.get(slice);
    (late ?? this.#events).event(trigger);
  }

  seen(change: ObservedChange): void {
    this.#options.onSeen?.(change);
  }

  problem(error: unknown): void {
    this.#options.onProblem(error);
  }

  sliceTaken(slice: OwnSlice): void {
    if (this.#isEnabled) this.#late.set(slice, new SynchronizedEvents(this.#options));
    else this.#taken.add(slice);
  }

  sliceListed(slice: OwnSlice): void {
    this.#taken.delete(slice);
    const late = this.#late.get(slice);
    const { executeHookOnSynchronization: isOwed } = this.binding;
    late?.listed();
    late?.enable(isOwed);
    if (late !== undefined && isOwed) this.#options.onHandover?.(slice);
    this.#options.onSliceListed?.();
  }

  sliceGiven(slice: OwnSlice): void {
    this.#taken.delete(slice);
    if (this.#late.delete(slice)) this.#options.onGiven?.(slice);
  }

  /** The unit is enabled; returns whether a Synchronization is to be queued. */
  enable(): boolean {
    const { executeHookOnSynchronization: isOwed } = this.binding;
    this.#isEnabled = true;
    for (const slice of this.#taken) this.sliceTaken(slice);
    this.#taken.clear();
    this.#events.enable(isOwed);
    return isOwed;
  }

  /** An attempt at the Synchronization reads the objects now; with `slice` at that of the slice. */
  begin(slice?: OwnSlice): void {
    this.#of(slice)?.begin();
  }

  /** The Synchronization failed and is run again. */
  fail(slice?: OwnSlice): void {
    this.#of(slice)?.fail();
  }

  /**
   * The Synchronization succeeded, or failed with `allowFailure`: delivers the held events, then others as they come.
   */
  finish(slice?: OwnSlice): void {
    this.#of(slice)?.finish();
  }

  #of(slice: OwnSlice | undefined): SynchronizedEvents | undefined {
    return slice === undefined ? this.#events : this.#late.get(slice);
  }
}
