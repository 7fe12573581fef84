import { fieldsOf, isCount, listOf, mapOf, pastOf, textsOf } from './shapes.ts';

/** The member that is replaced, recorded before the first change. */
export interface RepairRecord {
  readonly pod: string;
  readonly peerURL: string;
  /** The id of the removed member, which is never reused. */
  readonly memberID: string;
  readonly podUID: string;
  readonly claimUID: string;
  /** How often a learner of this very repair did not come up, which then goes as well. */
  readonly attempt?: number;
  readonly since: string;
  readonly startedAt: string;
  readonly snapshot: string;
  readonly snapshotAt: string;
  readonly snapshotRevision: number;
  /** Only for people: the next step is derived from the cluster. */
  readonly step: string;
  readonly stepAt: string;
}

/** A pending Event, which may not exist yet. */
export interface News {
  readonly name: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly at: string;
}

/** Whose data a new member was given, and when. */
export interface Copy {
  readonly from: string;
  readonly at: string;
  /** The id of the replaced member. */
  readonly instead: string;
}

export interface Same {
  readonly at: string;
  /** Members by their ids. */
  readonly voters: readonly string[];
}

/** The content of the annotation on the StatefulSet. */
export interface State {
  readonly unhealthy: Readonly<Record<string, string>>;
  readonly repair: RepairRecord | undefined;
  /** Members that are repaired next: they are down as well, and etcd adds no member before they are removed. */
  readonly next: readonly RepairRecord[];
  /** The last refusal an Event was written for. */
  readonly told: string;
  /** When the hashes were compared that it is about; empty where it is about none. */
  readonly comparedAt: string;
  /** Who was last seen to hold the same; it is not asked all the time, as they read all they have for it. */
  readonly same: Same | undefined;
  /** Pods whose data came from another, and was not compared with that of all since. */
  readonly copies: Readonly<Record<string, Copy>>;
  /** Pending Events. */
  readonly news: readonly News[];
}

/**
 * What the annotation says, part by part: a part of another shape counts as none, as everything can be found out again.
 * Of a time after now, or of none, what waits since then waits anew, and what was looked at then is looked at again.
 */
export function readState(text: string, nowMs: number): State {
  const { unhealthy, repair, next, told, comparedAt, same, copies, news } = fieldsOf(parse(text));
  return {
    unhealthy: mapOf(unhealthy, (since) => pastOrNow(since, nowMs)),
    repair: readRecord(repair, nowMs),
    next: listOf(next, (one) => readRecord(one, nowMs)),
    told: typeof told === 'string' ? told : '',
    comparedAt: pastOf(comparedAt, nowMs) ?? '',
    same: readSame(same, nowMs),
    copies: mapOf(copies, (one) => readCopy(one, nowMs)),
    news: listOf(news, (one) => readNews(one, nowMs)),
  };
}

/** The text of the annotation; empty when there is no state. */
export function writeState({ unhealthy, repair, next, told, comparedAt, same, copies, news }: State): string {
  const kept = {
    ...(Object.keys(unhealthy).length > 0 && { unhealthy }),
    ...(repair !== undefined && { repair }),
    ...(next.length > 0 && { next }),
    ...(told !== '' && { told }),
    ...(comparedAt !== '' && { comparedAt }),
    ...(same !== undefined && { same }),
    ...(Object.keys(copies).length > 0 && { copies }),
    ...(news.length > 0 && { news }),
  };
  return Object.keys(kept).length === 0 ? '' : JSON.stringify(kept);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pastOrNow(value: unknown, nowMs: number): string {
  return pastOf(value, nowMs) ?? `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}

function readRecord(value: unknown, nowMs: number): RepairRecord | undefined {
  const whose = textsOf(value, ['pod', 'peerURL', 'memberID', 'podUID', 'claimUID']);
  const how = textsOf(value, ['snapshot', 'snapshotAt', 'step']);
  const { attempt, since, startedAt, snapshotRevision, stepAt } = fieldsOf(value);
  if (whose === undefined || how === undefined || !isCount(snapshotRevision)) return undefined;
  return {
    ...whose,
    since: pastOrNow(since, nowMs),
    startedAt: pastOrNow(startedAt, nowMs),
    snapshot: how.snapshot,
    snapshotAt: how.snapshotAt,
    snapshotRevision,
    step: how.step,
    stepAt: pastOrNow(stepAt, nowMs),
    ...(isCount(attempt) && { attempt }),
  };
}

function readSame(value: unknown, nowMs: number): Same | undefined {
  const { at, voters } = fieldsOf(value);
  const past = pastOf(at, nowMs);
  if (past === undefined || !Array.isArray(voters)) return undefined;
  return { at: past, voters: voters.filter((voter) => typeof voter === 'string') };
}

function readCopy(value: unknown, nowMs: number): Copy | undefined {
  const texts = textsOf(value, ['from', 'instead']);
  return texts && { from: texts.from, at: pastOrNow(fieldsOf(value)['at'], nowMs), instead: texts.instead };
}

function readNews(value: unknown, nowMs: number): News | undefined {
  const texts = textsOf(value, ['name', 'reason', 'message']);
  const { type, at } = fieldsOf(value);
  if (texts === undefined || (type !== 'Normal' && type !== 'Warning')) return undefined;
  return { name: texts.name, type, reason: texts.reason, message: texts.message, at: pastOrNow(at, nowMs) };
}
