import { KubeError } from '../../errors.ts';
import { Bell } from '../../lib/bell.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { apiPath } from '../api-path.ts';
import type { KubeClient } from '../client.ts';
import {
  eventName,
  eventNamespace,
  eventObject,
  eventTime,
  runAnnotation,
  podSubject,
  type EventSubject,
  type RecordedEvent,
} from './event-object.ts';
import { EventBudgets } from './event-budget.ts';
import { EventQueue, type WaitingEvent } from './event-queue.ts';
import type { OwnPod } from './own-pod.ts';
import { policyRuleText } from '../policy-rule.ts';
import { tellOnce, type TellOutcome } from './tell-once.ts';
import { tokenBucket } from '../rate-limit.ts';

export type { EventSubject, RecordedEvent } from './event-object.ts';

/** Writes Kubernetes Events about the operator's own Pod, and about other objects. */
export interface EventRecorder {
  /** Queues an Event. Never blocks and never throws; a repeated Event only increases the count of the first one. */
  record(event: RecordedEvent): void;
  /** Creates an Event at once, under a name that is derived from `key`; never rejects. */
  tell(event: RecordedEvent, key: string, signal: AbortSignal): Promise<TellOutcome>;
  /** Sends queued Events until `signal` aborts, then sends the rest for at most one more second. */
  run(signal: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** The Pod that the Events without another object are about; when undefined, these are not recorded. */
  readonly pod: OwnPod | undefined;
  readonly log: Logger;
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  readonly random?: () => number;
}

// The rate at which Events about all objects together are sent. Those about one object have a lower rate beside it.
const BURST = 100;
const PER_SECOND = 5;
/** The rate of Events that are told once about one object. Each has a key of its own, so none is merged with another. */
const TOLD_RATE = { burst: 25, everyMs: 10_000 };
const MAX_REMEMBERED = 2000;
const MAX_REFUSALS = 1000;
const TRIES = 5;
const RETRY_MS = 10_000;
const LAST_MS = 1000;
/** After a 403 nothing is recorded in that namespace for this long. */
const REFUSED_MS = 600_000;

const RULE = policyRuleText({ apiGroup: '', resource: 'events', verbs: ['create', 'patch'] });

/** An Event that exists in the cluster. */
interface Sent {
  readonly name: string;
  readonly count: number;
}

/** Creates the recorder of Events. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueuedEventRecorder(options);
}

class QueuedEventRecorder implements EventRecorder {
  readonly #pod: EventSubject | undefined;
  readonly #options: EventRecorderOptions;
  readonly #queue: EventQueue;
  readonly #sent = new Map<string, Sent>();
  readonly #limit = tokenBucket({ perSecond: PER_SECOND, burst: BURST });
  readonly #toldBudgets = new EventBudgets();
  readonly #bell = new Bell();
  /** By namespace. */
  readonly #refusedUntilMs = new Map<string, number>();
  readonly #loggedRefusals = new Set<string>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#pod = options.pod && podSubject(options.pod);
    this.#queue = new EventQueue(this.#pod);
  }

  record(event: RecordedEvent): void {
    const subject = event.about ?? this.#pod;
    if (subject === undefined) return;
    const nowMs = this.#now();
    if (nowMs < (this.#refusedUntilMs.get(eventNamespace(subject)) ?? 0)) return;
    this.#queue.add(event, subject, nowMs);
    this.#bell.ring();
  }

  async tell(event: RecordedEvent, key: string, signal: AbortSignal): Promise<TellOutcome> {
    const subject = event.about ?? this.#pod;
    if (subject === undefined) return { type: 'off' };
    const nowMs = this.#now();
    const object = JSON.stringify([subject.kind, eventNamespace(subject), subject.name, subject.uid]);
    if (this.#toldBudgets.waitMs(object, TOLD_RATE, nowMs) > 0) {
      return { type: 'failed', message: 'too many Events about the object are told at once' };
    }
    this.#toldBudgets.take(object, TOLD_RATE, nowMs);
    const { client } = this.#options;
    return tellOnce({ event, subject, key }, { client, instance: this.#pod?.name ?? 'hooklet', nowMs }, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    while (!signal.aborted) {
      const waitMs = this.#queue.waitMs(this.#now());
      if (waitMs === undefined || waitMs > 0) {
        // Rung by `record`, and by the end of `signal`.
        await this.#rungOrAfter(waitMs);
        continue;
      }
      await this.#limit(signal).catch(() => {});
      const next = signal.aborted ? undefined : this.#queue.next(this.#now());
      if (next !== undefined) await this.#sendOrGiveUp(next, signal, TRIES);
    }
    await this.#sendRest();
  }

  async #rungOrAfter(waitMs: number | undefined): Promise<void> {
    const rung = this.#bell.rung();
    if (waitMs === undefined) return rung;
    const end = new AbortController();
    await Promise.race([rung, sleep(waitMs, end.signal)]);
    end.abort();
  }

  /** Events are best effort: they must not delay the shutdown. */
  async #sendRest(): Promise<void> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), LAST_MS);
    while (!end.signal.aborted) {
      const next = this.#queue.takeAny();
      if (next === undefined) break;
      await this.#sendOrGiveUp(next, end.signal, 1);
    }
    clearTimeout(timer);
  }

  async #sendOrGiveUp(waiting: WaitingEvent, signal: AbortSignal, tries: number): Promise<void> {
    try {
      await this.#retrying(async () => this.#send(waiting, signal), tries, signal);
    } catch (error) {
      this.#giveUp(error, waiting);
    }
  }

  async #retrying(send: () => Promise<void>, tries: number, signal: AbortSignal): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await send();
      } catch (error) {
        const isPermanent = error instanceof KubeError && !error.isRetryable;
        if (isPermanent || tried >= tries || signal.aborted) throw error;
        await sleep(RETRY_MS, signal);
        if (signal.aborted) throw error;
      }
    }
  }

  async #send(waiting: WaitingEvent, signal: AbortSignal): Promise<void> {
    const { key } = waiting;
    const before = this.#sent.get(key);
    const sent = before !== undefined && (await this.#add(before, waiting, signal));
    const known = sent === false ? await this.#create(waiting, signal) : sent;
    this.#sent.delete(key);
    this.#sent.set(key, known);
    forgetOldest(this.#sent, MAX_REMEMBERED);
  }

  /** Increases the count of the existing Event; returns false when it has expired. */
  async #add({ name, count }: Sent, waiting: WaitingEvent, signal: AbortSignal): Promise<Sent | false> {
    const sent = { name, count: count + waiting.count };
    const request = {
      method: 'PATCH',
      path: pathOf(waiting.subject, name),
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({
        ...(waiting.event.runId !== undefined && { metadata: runAnnotation(waiting.event.runId) }),
        count: sent.count,
        lastTimestamp: eventTime(waiting.lastAtMs),
      }),
    } as const;
    try {
      await this.#options.client.request(request, signal);
      return sent;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return false;
      throw error;
    }
  }

  async #create(waiting: WaitingEvent, signal: AbortSignal): Promise<Sent> {
    const { random = Math.random } = this.#options;
    const name = eventName(waiting.subject, Math.floor(random() * 2 ** 48).toString(16));
    const body = JSON.stringify(eventObject(name, waiting, this.#pod?.name ?? 'hooklet'));
    await this.#options.client.request({ method: 'POST', path: pathOf(waiting.subject), body }, signal);
    return { name, count: waiting.count };
  }

  #giveUp(error: unknown, { event: { reason }, subject }: WaitingEvent): void {
    const { log } = this.#options;
    const what = subject === this.#pod ? 'the pod' : 'objects';
    if (!(error instanceof KubeError) || error.status !== 403) {
      log.debug(
        { err: error, reason, kind: subject.kind, name: subject.name },
        `could not write an Event about ${what}`,
      );
      return;
    }
    const namespace = eventNamespace(subject);
    this.#refusedUntilMs.delete(namespace);
    this.#refusedUntilMs.set(namespace, this.#now() + REFUSED_MS);
    forgetOldest(this.#refusedUntilMs, MAX_REFUSALS);
    this.#queue.forget((other) => eventNamespace(other) === namespace);
    if (this.#loggedRefusals.has(what)) return;
    this.#loggedRefusals.add(what);
    log.info({ reason, namespace, missingRule: RULE }, `cannot write Events about ${what} until a Role allows it`);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** The path of the Events about objects in the namespace of this one, or of one of them. */
function pathOf(subject: EventSubject, ...name: readonly string[]): string {
  return apiPath('api', 'v1', 'namespaces', eventNamespace(subject), 'events', ...name);
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
