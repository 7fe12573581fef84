import { createHash } from 'node:crypto';
import type { HookLog, Metric, Patch } from 'hooklet';
import { isoSeconds, type Facts, type SetSummary } from './observe.ts';
import { writeState, type RepairRecord } from './record.ts';
import { PAUSE_ANNOTATION, STATE_ANNOTATION, type Settings } from './settings.ts';

export interface Pens {
  readonly patch: Patch;
  readonly metric: Metric;
  readonly log: HookLog;
}

/** What a run leaves behind: the state on the StatefulSet, Events, deletions, metrics. */
export class Outcome {
  record: RepairRecord | undefined;
  readonly #settings: Settings;
  readonly #facts: Facts | undefined;
  readonly #pens: Pens;
  readonly #news: (() => void)[] = [];
  #told = '';
  #refused = '';
  #since: Readonly<Record<string, string>> | undefined;

  constructor(settings: Settings, facts: Facts | undefined, pens: Pens) {
    this.#settings = settings;
    this.#facts = facts;
    this.#pens = pens;
    this.record = facts?.record;
  }

  say(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#pens.log.info(message, fields);
  }

  /** Says why nothing more is done, and what a person can do; false, so that the guard that called it ends the run. */
  refuse(reason: string, message: string): false {
    this.#refused = reason;
    this.#told = reason;
    this.#pens.log.warn('refused', { reason, message });
    if (this.#told !== this.#facts?.state.told) this.event('Warning', reason, message);
    return false;
  }

  /** It is too early to tell, so what was refused before may not be over; false, as `refuse`. */
  waitForNews(message: string, fields: Readonly<Record<string, unknown>>): false {
    this.#told = this.#facts?.state.told ?? '';
    this.say(message, fields);
    return false;
  }

  /** The time of those who are unhealthy counts from now. */
  restartClock(): void {
    const pods = Object.keys(this.#facts?.unhealthySince ?? {});
    const now = isoSeconds(this.#facts?.nowMs ?? Date.now());
    this.#since = Object.fromEntries(pods.map((pod) => [pod, now]));
  }

  /**
   * An Event on the StatefulSet. Its name follows from the repair it is about, or from what was known before and about
   * when, so that neither two runners nor a run that is repeated or saw the cluster of before say it twice.
   */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const facts = this.#facts;
    if (facts === undefined) return;
    const { namespace, statefulset: name } = this.#settings;
    const { uid } = facts.objects.statefulset;
    const at = isoSeconds(facts.nowMs);
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${newsId(facts, reason)}`, namespace },
      involvedObject: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name, uid },
      type,
      reason,
      message: message.slice(0, 1000),
      source: { component: 'etcd-repair' },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
    this.#news.push(() => this.#pens.patch.createIfNotExists(event));
  }

  /** Keeps how far the repair is; the change brings the next run. */
  setStep(step: string): void {
    if (this.record !== undefined)
      this.record = { ...this.record, step, stepAt: isoSeconds(this.#facts?.nowMs ?? Date.now()) };
  }

  abandon(reason: string, message: string): void {
    this.event('Normal', reason, message);
    this.record = undefined;
  }

  finish(seconds: number, message: string): void {
    const labels = { statefulset: this.#settings.statefulset };
    this.event('Normal', 'Repaired', message);
    this.#pens.metric.add('etcd_repair_repairs_total', 1, { labels });
    this.#pens.metric.observe('etcd_repair_seconds', seconds, { labels, buckets: [15, 30, 60, 120, 300, 600, 1800] });
    this.record = undefined;
  }

  /** Only this very object: by now there may be another of its name. */
  delete(kind: 'Pod' | 'PersistentVolumeClaim', name: string, uid: string): void {
    const { namespace } = this.#settings;
    this.#pens.patch.deleteInBackground({ apiVersion: 'v1', kind, namespace, name }, { preconditions: { uid } });
  }

  /** From now on an empty disk never starts a new cluster. */
  markBootstrapped(): void {
    const { namespace, marker: name } = this.#settings;
    this.#pens.patch.merge({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, { data: { state: 'existing' } });
  }

  /**
   * The state is written only if it is another one, and only if it is still what was read: of two runners one loses, and
   * looks again. Nor is it written over a pause that has been set meanwhile.
   */
  write(): void {
    const facts = this.#facts;
    if (facts === undefined) return;
    const unhealthy = this.#since ?? facts.unhealthySince;
    const state = writeState({ unhealthy, repair: this.record, told: this.#told });
    if (state !== facts.objects.statefulset.state) this.#writeState(facts.objects.statefulset, state);
    // Last, so that the runner that loses has not told what it did not do.
    for (const tell of this.#news) tell();
    this.reportMetrics();
  }

  #writeState({ resourceVersion, annotated, paused, state: before }: SetSummary, state: string): void {
    const { namespace, statefulset: name } = this.#settings;
    const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name };
    if (!annotated) {
      this.#pens.patch.merge(target, { metadata: { resourceVersion, annotations: { [STATE_ANNOTATION]: state } } });
      return;
    }
    const path = pointer(STATE_ANNOTATION);
    this.#pens.patch.json(target, [
      { op: 'test', path, value: before === '' ? null : before },
      ...(paused ? [] : [{ op: 'test', path: pointer(PAUSE_ANNOTATION), value: null } as const]),
      state === '' ? { op: 'remove', path } : { op: 'add', path, value: state },
    ]);
  }

  /** The gauges are one group: what a run does not mention is gone. */
  reportMetrics(): void {
    const { statefulset } = this.#settings;
    const gauge = (name: string, value: number, labels: Readonly<Record<string, string>> = {}): void =>
      this.#pens.metric.set(`etcd_repair_${name}`, value, { group: 'etcd-repair', labels: { statefulset, ...labels } });
    const pods = this.#facts?.pods ?? [];
    gauge('statefulset_found', this.#facts === undefined ? 0 : 1);
    gauge('members', pods.filter(({ isWell }) => isWell).length, { state: 'well' });
    gauge('members', pods.filter(({ isWell }) => !isWell).length, { state: 'unhealthy' });
    if (this.record !== undefined) gauge('in_progress', 1, { pod: this.record.pod, step: this.record.step });
    if (this.#refused !== '') gauge('refused', 1, { reason: this.#refused });
  }
}

function newsId({ objects, record, target, nowMs }: Facts, reason: string): string {
  const { uid, state } = objects.statefulset;
  const about =
    record === undefined ? `${state} ${Math.floor(nowMs / 10_000)}` : `${record.startedAt} ${record.memberID}`;
  return createHash('sha256').update([uid, reason, target?.pod, about].join(' ')).digest('hex').slice(0, 16);
}

function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll('/', '~1')}`;
}
