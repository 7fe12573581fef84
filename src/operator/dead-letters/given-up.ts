import { summaryOf } from '../../errors.ts';
import type { Binding, Hook, KubernetesBinding } from '../../hook/binding.ts';
import type { DeadControl, DeadLetter } from '../../hook/dead-control.ts';
import type { PauseControl } from '../../hook/pause-control.ts';
import type { ObjectReference, ResultEvent } from '../../hook/result.ts';
import type { QueuedTrigger, ScheduleTrigger } from '../../hook/trigger.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { DeadLetters } from '../../run/dead-letters.ts';
import type { ObservedChange } from '../../sources/kubernetes/wanted-events.ts';
import { PausedNamespaces } from '../../sources/kubernetes/paused-namespaces.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { createDeadDesk } from './dead-desk.ts';
import { DEFAULT_PLACE, type DeadLetterPlace } from './dead-letter-place.ts';
import { gaveUpEvent } from './gave-up-event.ts';
import { createHookHashes } from './hook-hashes.ts';
import { createPauseDesk, pauseTexts } from '../pause/pause-desk.ts';
import { PauseGate } from '../pause/pause-gate.ts';
import type { Shards } from '../shards/shards.ts';
import { DividedRecords } from './divided-records.ts';
import { openRemembered } from './open-remembered.ts';
import { Remember, type RememberOptions } from './remembered.ts';

export interface GivenUpSettings {
  /** Default `DEFAULT_PLACE`. */
  readonly deadLetters?: DeadLetterPlace | undefined;
  /** Whether the annotation of a namespace pauses its objects; always where a hook has a `reconcile` binding. */
  readonly pauseByNamespace?: boolean | undefined;
}

export interface GivenUpOptions extends GivenUpSettings {
  readonly access: Pick<ClusterAccess, 'client' | 'cluster' | 'watches'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly units: () => readonly HookUnit[];
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  /** Makes a trigger a task, unless it is paused. */
  readonly emit: (hook: Hook, trigger: QueuedTrigger) => void;
  /** Makes a trigger a task. */
  readonly push: (hook: Hook, trigger: QueuedTrigger) => void;
  readonly setAside: () => void;
  readonly onStarted: (hook: Hook) => void;
  readonly onReplaced: (hook: Hook, tick: ScheduleTrigger) => void;
  readonly triggerSchedule: (hook: string, binding: string) => Promise<unknown>;
  /** Writes an Event about an object; absent: none is written. */
  readonly recordEvent?: ((object: ObjectReference, event: ResultEvent, runId: string) => void) | undefined;
  /** Divides the objects among replicas; absent: this operator has all of them. */
  readonly shards?: Pick<Shards, 'slices' | 'status'> | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface GivenUpGlance {
  /** What is paused, as text for people. */
  readonly paused: readonly string[];
  /** The number of triggers that wait for the end of a pause. */
  readonly held: number;
  readonly deadLetters: number;
}

/** How long the start waits for the namespaces. */
const NAMESPACES_LIMIT_MS = 10_000;

/**
 * Dead letters and pauses of a running operator. The operator calls `run` for its whole life, and `ready` when it leads
 * and before any hook runs: what was paused before stays paused. `Runs` uses `letters` and `gate`.
 */
export class GivenUp {
  readonly letters: DeadLetters;
  readonly gate: PauseGate;
  /** The commands of the control socket. */
  readonly controls: { readonly dead: DeadControl; readonly pauses: PauseControl };
  readonly #options: GivenUpOptions;
  readonly #remember: Remember;
  readonly #hashOf = createHookHashes();
  readonly #ended = new AbortController();
  #isLeading = false;
  #readsAtStart = false;
  #namespaces: PausedNamespaces | undefined;
  /** Absent: objects are not divided. */
  readonly #divided: DividedRecords | undefined;

  constructor(options: GivenUpOptions) {
    this.#options = options;
    this.letters = this.#createLetters();
    this.gate = new PauseGate(options);
    this.#remember = new Remember({ kept: openRemembered(options), parts: [this.#letterPart(), this.#pausePart()] });
    const { units, unitFor, shards, log } = options;
    const own = { gate: this.gate, letters: this.letters, remember: this.#remember };
    this.#divided = shards && new DividedRecords({ ...own, shards });
    // A standby must not read what the leader is about to change.
    const open = async (): Promise<void> => (this.#isLeading ? this.#open(this.#ended.signal) : undefined);
    const dead = createDeadDesk({
      ...options,
      letters: this.letters,
      open,
      hookNamed: (name) => units().find(({ hook }) => hook.name === name)?.hook,
      snapshotOf: (hook, binding) => unitFor(hook)?.objects(binding) ?? [],
      isListed: (hook, binding, slice) => unitFor(hook)?.hasListed(binding, slice) === true,
      sliceOf: (letter) => this.#divided?.letters.sliceOf(letter),
      hashOf: this.#hashOf,
    });
    const pauses = createPauseDesk({
      gate: this.gate,
      open,
      onChange: () => this.#remember.changed('pauses'),
      isKept: () => this.#readsAtStart && this.#remember.isKept,
      hooks: () => units().map(({ hook }) => hook.name),
      now: Date.now,
      log,
    });
    this.controls = { dead, pauses };
  }

  /**
   * This replica leads: reads what was persisted, and the paused namespaces, where these hooks or the settings need it.
   * Waits for each at most 10 s.
   */
  async ready(hooks: readonly Hook[], signal: AbortSignal): Promise<void> {
    this.#isLeading = true;
    const { deadLetters = DEFAULT_PLACE } = this.#options;
    const bindings = hooks.flatMap((hook) => hook.bindings);
    const isForced = deadLetters.type !== 'none' && deadLetters.isForced;
    const reads = !this.#readsAtStart && deadLetters.type !== 'none' && (isForced || bindings.some(mayGiveUp));
    if (reads) this.#readsAtStart = true;
    await Promise.all([
      reads && this.#open(signal),
      this.#divided?.adoptPauses(signal),
      this.#followNamespaces(bindings, signal),
    ]);
  }

  /** Slices were given: resolves when the letters of their objects are stored, for 5 s at most. */
  async moved(signal: AbortSignal): Promise<void> {
    await this.#divided?.flush(signal);
  }

  /** What a person sees of it at a glance. */
  get glance(): GivenUpGlance {
    return { paused: pauseTexts(this.gate), held: this.gate.size, deadLetters: this.letters.all.length };
  }

  /** A change of an object that its binding wants no event of. */
  seen(hook: Hook, binding: KubernetesBinding, change: ObservedChange): void {
    this.gate.seen(hook, binding, change);
    if (change.watchEvent === 'Deleted') this.letters.gone(hook.name, binding, change.item);
  }

  /** Persists what changed until `signal` aborts, then what is left for a few seconds at most. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const divided = this.#divided?.run(AbortSignal.any([signal, stop.signal]));
    try {
      await this.#remember.run(signal);
    } finally {
      stop.abort();
      await divided;
      this.#ended.abort();
      this.#namespaces?.end();
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    await this.#remember.open(signal);
    await this.#divided?.open(signal);
  }

  async #followNamespaces(bindings: readonly Binding[], signal: AbortSignal): Promise<void> {
    const { pauseByNamespace = false, access, log } = this.#options;
    const isWanted = pauseByNamespace || bindings.some(({ type }) => type === 'reconcile');
    if (!isWanted || this.#namespaces !== undefined || this.#ended.signal.aborted) return;
    const { gate } = this;
    this.#namespaces = new PausedNamespaces({
      watches: access.watches,
      onChange: (names) => {
        gate.rules.setNamespaces(names);
        gate.paused();
        gate.resumed();
      },
      log,
    });
    const limit = new AbortController();
    await Promise.race([this.#namespaces.known, sleep(NAMESPACES_LIMIT_MS, AbortSignal.any([signal, limit.signal]))]);
    limit.abort();
  }

  #createLetters(): DeadLetters {
    const { unitFor, metrics, log } = this.#options;
    return new DeadLetters({
      now: Date.now,
      snapshotOf: (hook, binding) => unitFor(hook)?.objects(binding) ?? [],
      onDead: (letter, hook) => this.#gaveUp(letter, hook),
      onChange: () => {
        this.#remember.changed('letters');
        this.#divided?.begin();
      },
      metrics,
      log,
    });
  }

  #gaveUp(letter: DeadLetter, hook: Hook): void {
    const { log, recordEvent } = this.#options;
    const event = gaveUpEvent(letter);
    if (event !== undefined) recordEvent?.(event.object, event.event, letter.runId);
    this.#hashOf(hook).then(
      (hash) => {
        if (hash === undefined) return;
        this.letters.fingerprint(hook.name, hash);
        this.#remember.changed('letters');
      },
      (error: unknown) => log.warn({ hook: hook.name, err: summaryOf(error) }, 'the hook cannot be read'),
    );
  }

  #letterPart(): RememberOptions['parts'][number] {
    return {
      key: 'letters',
      current: (stored) => ({
        letters: this.#divided?.letters.merged(stored?.letters ?? []) ?? this.letters.all.toReversed(),
      }),
      restore: ({ letters = [] }) => {
        // Those of the own slices are read by themselves.
        if (this.#options.shards === undefined) this.letters.restore(letters);
      },
    };
  }

  #pausePart(): RememberOptions['parts'][number] {
    const { rules } = this.gate;
    return {
      key: 'pauses',
      current: () => ({ pauses: rules.byHand }),
      restore: ({ pauses = [] }) => {
        rules.restore(pauses);
        this.gate.paused();
      },
    };
  }
}

/** Whether runs of a binding may be given up by its config; any may by exit code 78. */
function mayGiveUp(binding: Binding): boolean {
  return binding.type === 'reconcile' || ('retry' in binding && binding.retry?.onExhausted === 'dead');
}
