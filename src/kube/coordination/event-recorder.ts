import { KubeError } from '../../errors.ts';
import { aborted } from '../../lib/aborted.ts';
import { Bell } from '../../lib/bell.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { apiPath } from '../api-path.ts';
import type { KubeClient } from '../client.ts';
import type { OwnPod } from './own-pod.ts';
import { policyRuleText } from '../policy-rule.ts';
import { tokenBucket } from '../rate-limit.ts';

/** An Event about the operator's own Pod; `reason` is one word in CamelCase. */
export interface RecordedEvent {
  readonly type: 'Warning' | 'Normal';
  readonly reason: string;
  readonly message: string;
}

/** Writes Kubernetes Events about the operator's own Pod. */
export interface EventRecorder {
  /** Queues an Event. Never blocks and never throws; a repeated Event only increases the count of the first one. */
  record(event: RecordedEvent): void;
  /** Sends queued Events until `signal` aborts, then sends the rest for at most one more second. */
  run(signal: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** The Pod that the Events are about; when undefined, nothing is recorded. */
  readonly pod: OwnPod | undefined;
  readonly log: Logger;
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number;
  /** Source of randomness in [0, 1); default `Math.random`. */
  readonly random?: () => number;
}

// The same limits as client-go: a burst, then a slow rate, because etcd stores each Event for an hour.
const BURST = 25;
const PER_SECOND = 1 / 10;
const MAX_WAITING = 100;
const MAX_REMEMBERED = 500;
const MAX_MESSAGE = 1024;
// Leaves room for the suffix within the Kubernetes limit on names.
const MAX_NAME = 230;
const TRIES = 5;
const RETRY_MS = 10_000;
const LAST_MS = 1000;
/** After a 403 nothing is recorded for this long. */
const REFUSED_MS = 600_000;

const RULE = policyRuleText({ apiGroup: '', resource: 'events', verbs: ['create', 'patch'] });

/** An Event that waits to be sent; `count` is the number of occurrences since it was last sent. */
interface Waiting {
  readonly event: RecordedEvent;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly count: number;
}

/** An Event that exists in the cluster. */
interface Sent {
  readonly name: string;
  readonly count: number;
}

/** Creates the recorder of Events about the operator's own Pod. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { pod } = options;
  return pod === undefined ? { record: () => {}, run: aborted } : new PodEventRecorder(pod, options);
}

class PodEventRecorder implements EventRecorder {
  readonly #pod: OwnPod;
  readonly #options: EventRecorderOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #sent = new Map<string, Sent>();
  readonly #limit = tokenBucket({ perSecond: PER_SECOND, burst: BURST });
  readonly #bell = new Bell();
  #refusedUntilMs = 0;
  #hasLoggedRefusal = false;

  constructor(pod: OwnPod, options: EventRecorderOptions) {
    this.#pod = pod;
    this.#options = options;
  }

  record(event: RecordedEvent): void {
    const nowMs = this.#now();
    if (nowMs < this.#refusedUntilMs) return;
    const message = shortened(event.message);
    const key = JSON.stringify([event.type, event.reason, message]);
    const before = this.#waiting.get(key);
    this.#waiting.set(key, {
      event: { ...event, message },
      firstAtMs: before?.firstAtMs ?? nowMs,
      lastAtMs: nowMs,
      count: (before?.count ?? 0) + 1,
    });
    forgetOldest(this.#waiting, MAX_WAITING);
    this.#bell.ring();
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    while (!signal.aborted) {
      if (this.#waiting.size === 0) {
        // Rung by `record`, and by the end of `signal`.
        await this.#bell.rung();
        continue;
      }
      await this.#limit(signal).catch(() => {});
      if (!signal.aborted) await this.#sendNext(signal, TRIES);
    }
    await this.#sendRest();
  }

  /** Events are best effort: they must not delay the shutdown. */
  async #sendRest(): Promise<void> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), LAST_MS);
    while (this.#waiting.size > 0 && !end.signal.aborted) await this.#sendNext(end.signal, 1);
    clearTimeout(timer);
  }

  async #sendNext(signal: AbortSignal, tries: number): Promise<void> {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [key, waiting] = next;
    this.#waiting.delete(key);
    try {
      await this.#retrying(async () => this.#send(key, waiting, signal), tries, signal);
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

  async #send(key: string, waiting: Waiting, signal: AbortSignal): Promise<void> {
    const before = this.#sent.get(key);
    const sent = before !== undefined && (await this.#add(before, waiting, signal));
    const known = sent === false ? await this.#create(waiting, signal) : sent;
    this.#sent.delete(key);
    this.#sent.set(key, known);
    forgetOldest(this.#sent, MAX_REMEMBERED);
  }

  /** Increases the count of the existing Event; returns false when it has expired. */
  async #add({ name, count }: Sent, { lastAtMs, count: more }: Waiting, signal: AbortSignal): Promise<Sent | false> {
    const sent = { name, count: count + more };
    const request = {
      method: 'PATCH',
      path: this.#pathOf(name),
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ count: sent.count, lastTimestamp: timestamp(lastAtMs) }),
    } as const;
    try {
      await this.#options.client.request(request, signal);
      return sent;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return false;
      throw error;
    }
  }

  async #create(waiting: Waiting, signal: AbortSignal): Promise<Sent> {
    const { random = Math.random } = this.#options;
    const suffix = Math.floor(random() * 2 ** 48).toString(16);
    const name = `${this.#pod.name.slice(0, MAX_NAME)}.${suffix}`;
    const body = JSON.stringify(eventObject(name, this.#pod, waiting));
    await this.#options.client.request({ method: 'POST', path: this.#pathOf(), body }, signal);
    return { name, count: waiting.count };
  }

  #giveUp(error: unknown, { event: { reason } }: Waiting): void {
    const { log } = this.#options;
    if (!(error instanceof KubeError) || error.status !== 403) {
      log.debug({ err: error, reason }, 'could not write an Event about the pod');
      return;
    }
    this.#refusedUntilMs = this.#now() + REFUSED_MS;
    this.#waiting.clear();
    if (this.#hasLoggedRefusal) return;
    this.#hasLoggedRefusal = true;
    log.info(
      { reason, namespace: this.#pod.namespace, missingRule: RULE },
      'cannot write Events about the pod until a Role allows it',
    );
  }

  /** The path of the Events in the Pod's namespace, or of one of them. */
  #pathOf(...name: readonly string[]): string {
    return apiPath('api', 'v1', 'namespaces', this.#pod.namespace, 'events', ...name);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

function eventObject(name: string, pod: OwnPod, { event, firstAtMs, lastAtMs, count }: Waiting): unknown {
  const { name: podName, namespace, uid } = pod;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: podName, namespace, ...(uid !== undefined && { uid }) },
    ...event,
    count,
    firstTimestamp: timestamp(firstAtMs),
    lastTimestamp: timestamp(lastAtMs),
    source: { component: 'hooklet' },
    reportingComponent: 'hooklet',
    reportingInstance: podName,
  };
}

/** Kubernetes expects whole seconds here. */
function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
