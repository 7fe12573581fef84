import { createHash } from 'node:crypto';
import type { HookLog, Metric, Patch } from 'hooklet';
import { isoSeconds, type Facts, type SetSummary } from './observe.ts';
import { writeState, type Copy, type News, type RepairRecord, type Same } from './record.ts';
import { repairsOfDay } from './repairs.ts';
import { PAUSE_ANNOTATION, REPAIRS_ANNOTATION, STATE_ANNOTATION, type Settings } from './settings.ts';

export interface Pens {
  readonly patch: Patch;
  readonly metric: Metric;
  readonly log: HookLog;
}

export const EVENT_SOURCE = 'etcd-repair';
/** Of Events that cannot be made the latest are kept. */
const MOST_NEWS = 20;

/** What a run leaves behind: the state on the StatefulSet, Events, deletions, metrics. */
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

  /** Says why nothing more is done, and what a person can do; false, so that the guard that called it ends the run. */
  refuse(reason: string, message: string): false {
    this.#refused = reason;
    this.#told = reason;
    this.#pens.log.warn('refused', { reason, message });
    if (this.#told !== this.#facts?.state.told) this.event('Warning', reason, message);
    return false;
  }

  /** The same of what took reading all data: for a while it is not looked at again. */
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
   * An Event on the StatefulSet. It goes into the state, the runs after tell it, and it is taken out when it is seen: so
   * it is told exactly when the state was written, also when somebody is killed or the API server is away in between.
   */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.#facts !== undefined) this.#news.push(newsOf(this.#settings, this.#facts, { type, reason, message }));
  }

  #tell({ name, type, reason, message, at }: News): void {
    const { namespace, statefulset } = this.#settings;
    const uid = this.#facts?.objects.statefulset.uid;
    this.#pens.patch.createIfNotExists({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: statefulset, uid },
      type,
      reason,
      message,
      source: { component: EVENT_SOURCE },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    });
  }

  /** These members hold the same. */
  noteSame(voters: readonly string[]): void {
    this.#same = { at: isoSeconds(this.#facts?.nowMs ?? Date.now()), voters };
  }

  /** A new member is sent what the leader has. */
  noteCopy({ pod, memberID: instead }: RepairRecord): void {
    if (this.#facts === undefined) return;
    const copy = { from: leaderName(this.#facts), at: isoSeconds(this.#facts.nowMs), instead };
    this.#copies = { ...this.#copies, [pod]: copy };
  }

  /** Keeps how far the repair is; the change brings the next run. */
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

  /** From now on an empty disk never starts a new cluster. */
  markBootstrapped(message: string): void {
    if (this.#facts === undefined) return;
    const { namespace, marker: name } = this.#settings;
    // At once and first: when the marker is set there is no run that would tell it.
    this.#tell(newsOf(this.#settings, this.#facts, { type: 'Normal', reason: 'Bootstrapped', message }, ''));
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
    this.#beginNext(facts.nowMs);
    const untold = facts.state.news.filter(({ name }) => !facts.objects.events.includes(name));
    for (const one of untold) this.#tell(one);
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
    if (state !== facts.objects.statefulset.state) this.#writeState(facts.objects.statefulset, state);
    this.reportMetrics();
  }

  #beginNext(nowMs: number): void {
    const [first, ...rest] = this.next;
    if (this.record !== undefined || first === undefined) return;
    this.event('Warning', 'RepairStarted', startedText(first, 'was down as well'));
    this.record = { ...first, stepAt: isoSeconds(nowMs) };
    this.next = rest;
  }

  #writeState({ resourceVersion, annotated, paused, state: before }: SetSummary, state: string): void {
    const { namespace, statefulset: name } = this.#settings;
    const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name };
    const repairs = this.#repairs;
    if (!annotated) {
      const counted = repairs === undefined ? {} : { [REPAIRS_ANNOTATION]: repairs };
      const annotations = { [STATE_ANNOTATION]: state, ...counted };
      this.#pens.patch.merge(target, { metadata: { resourceVersion, annotations } });
      return;
    }
    const path = pointer(STATE_ANNOTATION);
    this.#pens.patch.json(target, [
      { op: 'test', path, value: before === '' ? null : before },
      ...(paused ? [] : [{ op: 'test', path: pointer(PAUSE_ANNOTATION), value: null } as const]),
      state === '' ? { op: 'remove', path } : { op: 'add', path, value: state },
      ...(repairs === undefined ? [] : [{ op: 'add', path: pointer(REPAIRS_ANNOTATION), value: repairs } as const]),
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
    gauge('begun_last_day', this.#begunLastDay().length);
    if (this.record !== undefined) gauge('in_progress', 1, { pod: this.record.pod, step: this.record.step });
    if (this.#refused !== '') gauge('refused', 1, { reason: this.#refused });
  }
}

/** Of the Pod. */
export function leaderName({ pods, leader }: Facts): string {
  return pods.find(({ member }) => member !== undefined && member.id === leader)?.pod ?? 'the leader';
}

/** For people: who is replaced, and what there is to go back to. */
export function startedText({ pod, memberID, since, snapshot }: RepairRecord, why: string): string {
  return `${pod} (member ${memberID}) is unhealthy since ${since} and is replaced. The snapshot before is ${snapshot}. ${pod}: ${why}`;
}

/**
 * Its name follows from the repair it is about, or from what was known before and about when, so that it is made once
 * however often it is told.
 */
function newsOf(
  { statefulset }: Settings,
  facts: Facts,
  said: Pick<News, 'type' | 'reason' | 'message'>,
  about = subjectOf(facts),
): News {
  const id = [facts.objects.statefulset.uid, said.reason, facts.target?.pod, about].join(' ');
  const name = `${statefulset}.${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
  return { name, ...said, message: said.message.slice(0, 1000), at: isoSeconds(facts.nowMs) };
}

function subjectOf({ objects, record, nowMs }: Facts): string {
  if (record !== undefined) return `${record.startedAt} ${record.memberID}`;
  return `${objects.statefulset.state} ${Math.floor(nowMs / 10_000)}`;
}

function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll('/', '~1')}`;
}
