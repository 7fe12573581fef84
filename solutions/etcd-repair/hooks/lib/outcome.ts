import type { HookLog, Metric, Patch } from 'hooklet';
import { isoSeconds, type Facts } from './facts.ts';
import { reportGauges } from './gauges.ts';
import { keepState } from './keep-state.ts';
import { eventOf, leaderName, newsOf, startedText } from './news.ts';
import { writeState, type Copy, type News, type RepairRecord, type Same } from './record.ts';
import { repairsOfDay } from './repairs.ts';
import type { Settings } from './settings.ts';

export interface Pens {
  readonly patch: Patch;
  readonly metric: Metric;
  readonly log: HookLog;
}

/** How many pending Events are kept, the latest ones. */
const MOST_NEWS = 20;

/** The results of a run: the state on the StatefulSet, Events, deletions, metrics. */
export class Outcome {
  record: RepairRecord | undefined;
  /** Repairs that begin when this one has ended. */
  next: readonly RepairRecord[];
  readonly #settings: Settings;
  readonly #facts: Facts | undefined;
  readonly #pens: Pens;
  readonly #news: News[] = [];
  #told = '';
  #refused = '';
  #repairs: string | undefined;
  #comparedAt = '';
  #same: Same | undefined;
  #copies: Readonly<Record<string, Copy>>;
  #since: Readonly<Record<string, string>> | undefined;

  constructor(settings: Settings, facts: Facts | undefined, pens: Pens) {
    this.#settings = settings;
    this.#facts = facts;
    this.#pens = pens;
    this.record = facts?.record;
    this.next = facts?.state.next ?? [];
    this.#copies = facts?.state.copies ?? {};
    this.#same = facts?.state.same;
  }

  say(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#pens.log.info(message, fields);
  }

  /** Reports why nothing more is done, with advice; returns false, so that the calling guard ends the run. */
  refuse(reason: string, message: string): false {
    this.#refused = reason;
    this.#told = reason;
    this.#pens.log.warn('refused', { reason, message });
    if (this.#told !== this.#facts?.state.told) this.event('Warning', reason, message);
    return false;
  }

  /** The same for a check that reads all data, which is not repeated for a while. */
  refuseData(reason: string, message: string): false {
    this.#comparedAt = isoSeconds(this.#facts?.nowMs ?? Date.now());
    return this.refuse(reason, message);
  }

  /** What the last run refused is refused on; false, as `refuse`. */
  refuseAgain(): false {
    const { told = '', comparedAt = '' } = this.#facts?.state ?? {};
    this.#refused = told;
    this.#told = told;
    this.#comparedAt = comparedAt;
    this.say('refused as before', { reason: told, comparedAt });
    return false;
  }

  /** It is too early to decide, so an earlier refusal may still hold; returns false like `refuse`. */
  waitForNews(message: string, fields: Readonly<Record<string, unknown>>): false {
    this.#told = this.#facts?.state.told ?? '';
    this.say(message, fields);
    return false;
  }

  /** Starts the waiting time of all unhealthy members again. */
  restartClock(): void {
    const pods = Object.keys(this.#facts?.unhealthySince ?? {});
    const now = isoSeconds(this.#facts?.nowMs ?? Date.now());
    this.#since = Object.fromEntries(pods.map((pod) => [pod, now]));
  }

  /**
   * Adds an Event on the StatefulSet. It becomes part of the state, later runs create it, and it is removed when it
   * exists: so it is created if and only if the state was written, even if the hook is killed or the API server is
   * unavailable in between.
   */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.#facts !== undefined) this.#news.push(newsOf(this.#settings, this.#facts, { type, reason, message }));
  }

  /** Records that these members hold the same data. */
  noteSame(voters: readonly string[]): void {
    this.#same = { at: isoSeconds(this.#facts?.nowMs ?? Date.now()), voters };
  }

  /** A new member is sent what the leader has. */
  noteCopy({ pod, memberID: instead }: RepairRecord): void {
    if (this.#facts === undefined) return;
    const copy = { from: leaderName(this.#facts), at: isoSeconds(this.#facts.nowMs), instead };
    this.#copies = { ...this.#copies, [pod]: copy };
  }

  /** Records the progress of the repair; the change triggers the next run. */
  setStep(step: string): void {
    if (this.record !== undefined)
      this.record = { ...this.record, step, stepAt: isoSeconds(this.#facts?.nowMs ?? Date.now()) };
  }

  /** One more is begun, which the StatefulSet keeps when its state is written. */
  countRepair(): void {
    const times = [...this.#begunLastDay(), isoSeconds(this.#facts?.nowMs ?? Date.now())];
    this.#repairs = times.slice(-this.#settings.maxRepairsPerDay).join(' ');
  }

  #begunLastDay(): readonly string[] {
    if (this.#facts === undefined) return [];
    return repairsOfDay(this.#repairs ?? this.#facts.objects.statefulset.repairs, this.#facts.nowMs);
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
    // Whoever differs from now on differs by what came later, of which all had their own.
    if (this.#facts?.pods.every(({ isWell }) => isWell) === true) this.#copies = {};
    this.record = undefined;
  }

  /** Only this very object: by now there may be another of its name. */
  delete(kind: 'Pod' | 'PersistentVolumeClaim', name: string, uid: string): void {
    const { namespace } = this.#settings;
    this.#pens.patch.deleteInBackground({ apiVersion: 'v1', kind, namespace, name }, { preconditions: { uid } });
  }

  /** Ensures that an empty disk never starts a new cluster from now on. */
  markBootstrapped(message: string): void {
    if (this.#facts === undefined) return;
    const { namespace, marker: name } = this.#settings;
    // At once and first: when the marker is set there is no run that would tell it.
    const news = newsOf(this.#settings, this.#facts, { type: 'Normal', reason: 'Bootstrapped', message }, '');
    this.#pens.patch.createIfNotExists(eventOf(this.#settings, this.#facts.objects.statefulset.uid, news));
    this.#pens.patch.merge({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, { data: { state: 'existing' } });
  }

  /** Hands everything over; the state only if it is another one. */
  write(): void {
    const facts = this.#facts;
    if (facts === undefined) return;
    const unhealthy = this.#since ?? facts.unhealthySince;
    this.#beginNext(facts.nowMs);
    const untold = facts.state.news.filter(({ name }) => !facts.objects.events.includes(name));
    for (const one of untold)
      this.#pens.patch.createIfNotExists(eventOf(this.#settings, facts.objects.statefulset.uid, one));
    const state = writeState({
      unhealthy,
      repair: this.record,
      next: this.next,
      told: this.#told,
      comparedAt: this.#comparedAt,
      // Of use only while somebody is to be replaced.
      same: Object.keys(unhealthy).length > 0 || this.record !== undefined ? this.#same : undefined,
      copies: this.#copies,
      news: [...untold, ...this.#news].slice(-MOST_NEWS),
    });
    const { statefulset } = facts.objects;
    if (state !== statefulset.state) {
      keepState(this.#pens.patch, this.#settings, statefulset, { state, repairs: this.#repairs });
    }
    this.reportMetrics();
  }

  #beginNext(nowMs: number): void {
    const [first, ...rest] = this.next;
    if (this.record !== undefined || first === undefined) return;
    this.event('Warning', 'RepairStarted', startedText(first, 'was down as well'));
    this.record = { ...first, stepAt: isoSeconds(nowMs) };
    this.next = rest;
  }

  reportMetrics(): void {
    const found = { record: this.record, refused: this.#refused, begunLastDay: this.#begunLastDay().length };
    reportGauges(this.#pens.metric, this.#settings, this.#facts, found);
  }
}
