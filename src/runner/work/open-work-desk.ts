/*
 * The desk of workers, over the floor: it says who may ask what, and changes nothing by itself. What must hold: what comes
 * from another Pod, from a worker that is not known any more, or with an epoch that is not the last, changes nothing.
 */

import { isPoolName, POOL_TEXT } from '../../hook/executor-rule.ts';
import type { DeskAnswer, DeskCaller } from '../../hook/remote-run.ts';
import {
  MAX_CAPACITY,
  type HeldRun,
  type RunToEnd,
  type WorkDesk,
  type WorkerHello,
  type WorkerTerms,
  type WorkerTicket,
  type WorkTicket,
} from '../../hook/work-desk.ts';
import { shown } from '../../lib/shown.ts';
import { refused, type Refused } from '../desk-refusal.ts';
import type { KnownDigest } from './known-digest.ts';
import type { WorkFloor } from './work-floor.ts';
import type { WorkRun } from './work-run.ts';
import { beatMsOf, NO_LEADER } from './work-terms.ts';
import { keyOf, WorkerSession } from './worker-session.ts';
import { MAX_WORKERS } from './worker-sessions.ts';

export interface WorkDeskParts {
  readonly floor: WorkFloor;
  readonly digest: KnownDigest;
  readonly silenceMs: number;
  /** Why a Pod may not be a worker; undefined when it may. */
  readonly explainRefusal: (caller: DeskCaller) => string | undefined;
  readonly randomName: () => string;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** Opens the desk; it answers 503 while the floor does not lead. */
export function openWorkDesk(parts: WorkDeskParts): WorkDesk {
  const { floor, elapsed } = parts;
  return {
    hello: (hello, caller) => sayHello(hello, caller, parts),
    beat: (ticket, held) => {
      const session = findSession(ticket, parts);
      return isRefused(session) ? session : ok(beat(session, held, parts));
    },
    ends: async (ticket, waiting) => {
      const session = findSession(ticket, parts);
      return isRefused(session) ? session : session.askForEnds(waiting);
    },
    claim: async (ticket, free, waiting) => {
      const session = findSession(ticket, parts);
      if (isRefused(session)) return session;
      const answer = session.askForRuns(free, elapsed(), waiting);
      floor.turn(session.hello.pool);
      return answer;
    },
    holds: (ticket) => {
      const held = findHeld(ticket, parts);
      return isRefused(held) && !isTaken(ticket, parts) ? held : DONE;
    },
    contexts: (ticket) => {
      const held = findHeld(ticket, parts);
      return isRefused(held) ? held : ok(held.run.contexts);
    },
    output: (ticket, lines) => {
      const held = findHeld(ticket, parts);
      if (isRefused(held)) return held;
      held.run.print(lines);
      return DONE;
    },
    result: (ticket, result) => {
      const held = findHeld(ticket, parts);
      if (isRefused(held)) return isTaken(ticket, parts) ? DONE : held;
      floor.result(held.session, held.run, result);
      return DONE;
    },
    leave: (ticket) => {
      const session = findLeaving(ticket, parts);
      if (isRefused(session)) return session;
      floor.gone(session, 'left');
      return DONE;
    },
  };
}

const DONE = { type: 'ok', value: undefined } as const;

function ok<T>(value: T): DeskAnswer<T> {
  return { type: 'ok', value };
}

function isRefused(found: object): found is Refused {
  return 'type' in found && found.type === 'refused';
}

function sayHello(hello: WorkerHello, caller: DeskCaller, parts: WorkDeskParts): DeskAnswer<WorkerTerms> {
  const { floor, digest, silenceMs, elapsed } = parts;
  if (!floor.leads) return NO_LEADER;
  const why = parts.explainRefusal(caller) ?? wrongIn(hello);
  if (why !== undefined) return refused(403, why);
  if (floor.sessions.size >= MAX_WORKERS) return refused(503, `there are ${MAX_WORKERS} workers already: ask again`);
  const worker = parts.randomName();
  floor.enter(new WorkerSession(worker, hello, caller, elapsed()));
  void digest.look();
  return ok({ worker, beatMs: beatMsOf(silenceMs), silenceMs });
}

function wrongIn({ pool, capacity }: WorkerHello): string | undefined {
  if (!isPoolName(pool)) return `the pool: got ${shown(pool)}, expected ${POOL_TEXT}`;
  const isCapacity = Number.isInteger(capacity) && capacity >= 1 && capacity <= MAX_CAPACITY;
  return isCapacity ? undefined : `the capacity: got ${capacity}, expected 1 to ${MAX_CAPACITY}`;
}

/** A worker that is present; one that was silent for too long is lost with this. */
function findSession(ticket: WorkerTicket, { floor }: Pick<WorkDeskParts, 'floor'>): WorkerSession | Refused {
  if (!floor.leads) return NO_LEADER;
  const session = floor.sessions.find(ticket);
  if (isRefused(session) || !floor.isSilent(session)) return session;
  floor.gone(session, 'silent');
  return floor.sessions.find(ticket);
}

/** One that was expelled may leave, too: what it ran has ended, as it says. */
function findLeaving(ticket: WorkerTicket, { floor }: WorkDeskParts): WorkerSession | Refused {
  const session = floor.sessions.get(ticket.worker);
  const isEnding = floor.leads && session?.state === 'ending' && session.caller.podUid === ticket.caller.podUid;
  return isEnding ? session : findSession(ticket, { floor });
}

interface HeldBy {
  readonly session: WorkerSession;
  readonly run: WorkRun;
}

/** The run of a ticket that counts; its worker has it, as it asks about it. */
function findHeld(ticket: WorkTicket, parts: WorkDeskParts): HeldBy | Refused {
  const session = findSession(ticket, parts);
  if (isRefused(session)) return session;
  const run = parts.floor.runs.find(ticket.runId);
  if (run === undefined) return endedRun(ticket, parts);
  if (!run.isHeldBy(ticket.worker, ticket.epoch)) {
    return refused(
      409,
      `run ${run.id}: epoch ${ticket.epoch} of this worker does not count, the last one is ${run.epoch}`,
    );
  }
  run.seen(parts.elapsed());
  return { session, run };
}

function endedRun({ runId, epoch }: WorkTicket, { floor }: WorkDeskParts): Refused {
  const past = floor.runs.findPast(runId);
  if (past === undefined || past.epoch === epoch) return refused(410, `run ${runId} has ended`);
  return refused(409, `run ${runId} has ended, and its last epoch was ${past.epoch}, not ${epoch}`);
}

/** Whether the result of a ticket was taken before. */
function isTaken(ticket: WorkTicket, parts: WorkDeskParts): boolean {
  if (isRefused(findSession(ticket, parts))) return false;
  const past = parts.floor.runs.findPast(ticket.runId);
  return past?.takenFrom === ticket.worker && past.epoch === ticket.epoch;
}

function beat(session: WorkerSession, held: readonly HeldRun[], parts: WorkDeskParts): readonly RunToEnd[] {
  const { floor, digest, silenceMs, elapsed } = parts;
  const nowMs = elapsed();
  const named = new Set(held.map(keyOf));
  floor.heard(session);
  void digest.look();
  const over = held.filter(({ runId, epoch }) => !isOf(session, floor.runs.find(runId), epoch));
  const missing: HeldRun[] = [];
  for (const run of session.held.values()) {
    const one = { runId: run.id, epoch: run.epoch };
    if (named.has(keyOf(one))) run.seen(nowMs);
    else if (run.phase.type === 'handed' && nowMs - run.phase.seenMs > beatMsOf(silenceMs)) {
      missing.push(one);
      floor.dropped(session, run);
    }
  }
  return [...[...over, ...missing].map(overText), ...session.toEnd];
}

function isOf({ worker }: WorkerSession, run: WorkRun | undefined, epoch: number): boolean {
  return run?.isHeldBy(worker, epoch) === true;
}

function overText({ runId, epoch }: HeldRun): RunToEnd {
  return { runId, epoch, why: 'it has ended, or was handed out again since', isOver: true };
}
