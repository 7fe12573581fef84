import type { HookConfigError } from '../errors.ts';
import type { ElectionStatus } from '../kube/coordination/leader-election.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { HealthCheck } from '../server/health.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import { againText, type QueueHold } from './queues/queue-holds.ts';

// Pings and probes are answered every 2 s: a watch that is silent for this long has lost the API server.
const MAX_SILENCE_MS = 15_000;
/** After this many failed attempts, a task that holds up other hooks makes the operator not ready. */
const HELD_ATTEMPTS = 3;
const MAX_SHOWN = 5;

export interface HealthSource {
  readonly units: readonly HookUnit[];
  readonly broken: readonly HookConfigError[];
  /** Queues whose first task failed. */
  readonly holds?: readonly QueueHold[];
  /** Whether the hooks are loaded and all onStartup hooks succeeded. */
  readonly isStarted: boolean;
  /** The onStartup hooks that have not succeeded yet. */
  readonly starting?: readonly string[];
  /** Absent without leader election. */
  readonly election?: ElectionStatus | undefined;
  /** Why the state of schedules is not persisted; absent while it is. */
  readonly scheduleState?: string | undefined;
  /** Why no hook can be started now; absent while hooks can. */
  readonly runner?: string | undefined;
  /** Whether a person paused the hook with this name: what it waits with is no problem of the operator. */
  readonly isPaused?: (hook: string) => boolean;
  readonly nowMs: number;
}

/**
 * The checks of `/readyz`: startup, held queues, every hook and every watch; on a standby, only what it needs to take
 * over. Anybody on the network can read them, so they contain nothing that hooks print or write.
 */
export function readinessChecks(source: HealthSource): readonly HealthCheck[] {
  const { units, broken, holds = [], isStarted, starting = [], election, scheduleState, runner, nowMs } = source;
  const startup = {
    name: 'startup',
    isOk: isStarted,
    message: isStarted ? '' : `onStartup hooks have not all succeeded${namesText(': ', starting)}`,
  };
  const brokenHooks = broken.map(brokenCheck);
  const leader = election === undefined ? [] : [electionCheck(election)];
  const spawner = spawnerChecks(runner);
  if (election !== undefined && election.type !== 'leading') return [...leader, ...spawner, ...brokenHooks];
  const state = scheduleState === undefined ? [] : [{ name: 'schedule-state', isOk: false, message: scheduleState }];
  const { isPaused = () => false } = source;
  const queues = holds.map((hold) => queueCheck(hold, nowMs));
  return [
    ...leader,
    startup,
    ...spawner,
    ...state,
    ...brokenHooks,
    ...queues,
    ...units.flatMap((unit) => unitChecks(unit, isPaused(unit.hook.name), nowMs)),
  ];
}

export interface AnsweringSource extends Pick<HealthSource, 'broken' | 'runner'> {
  /** Whether the hooks were loaded for the first time. */
  readonly isLoaded: boolean;
}

/** What a replica needs to answer webhooks, leader or not, beside their server. */
export function answeringChecks({ isLoaded, broken, runner }: AnsweringSource): readonly HealthCheck[] {
  return [
    { name: 'hooks', isOk: isLoaded, message: isLoaded ? '' : 'they are not loaded yet' },
    ...spawnerChecks(runner),
    ...broken.map(brokenCheck),
  ];
}

function spawnerChecks(runner: string | undefined): readonly HealthCheck[] {
  return runner === undefined ? [] : [{ name: 'spawner', isOk: false, message: runner }];
}

function brokenCheck({ hook, summary }: HookConfigError): HealthCheck {
  return { name: `hook ${hook}`, isOk: false, message: summary, isPartial: true };
}

/** A held queue is always reported, but fails the check only when a task holds up other hooks for several attempts. */
function queueCheck(hold: QueueHold, nowMs: number): HealthCheck {
  const { queue, hook, event, waiting, heldHooks, failing = 0 } = hold;
  const isOk = heldHooks.length === 0 || hold.attempt <= HELD_ATTEMPTS;
  const behind = waiting === 0 ? '' : `; ${waiting} task(s) wait behind it${namesText(', of ', heldHooks)}`;
  const more = failing > 1 ? `; ${failing - 1} more task(s) of it failed and are tried again` : '';
  const message = `${hook} ${doing(hold)} (${event}), ${againText(hold, nowMs)}${behind}${more}`;
  return { name: `queue ${queue}`, isOk, message };
}

function doing({ attempt, limitedSinceMs }: QueueHold): string {
  if (attempt > 1) return 'failed';
  return limitedSinceMs === undefined ? 'runs' : 'waits';
}

function namesText(before: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  return `${before}${names.slice(0, MAX_SHOWN).join(', ')}${more}`;
}

function electionCheck(election: ElectionStatus): HealthCheck {
  const name = 'leader-election';
  switch (election.type) {
    case 'leading':
      return { name, isOk: true, message: 'leading' };
    case 'lost':
      return { name, isOk: false, message: 'the lease was lost' };
    case 'standing-by': {
      const { leader, problem } = election;
      if (problem !== undefined) return { name, isOk: false, message: problem };
      // This replica may be the next leader, and whether its hooks work shows only then.
      if (leader === '') return { name, isOk: false, message: 'no leader is known yet' };
      return { name, isOk: true, message: `standing by, ${leader} leads` };
    }
    default:
      return unreachable(election);
  }
}

function unitChecks(unit: HookUnit, isPaused: boolean, nowMs: number): readonly HealthCheck[] {
  const { name } = unit.hook;
  const watches = unit.statuses().map(([binding, { isSynced, lastContactAtMs, problem }]) => {
    const message = problem ?? (isSynced ? silence(lastContactAtMs, nowMs) : 'the first list is not complete yet');
    return { name: `watch ${name}/${binding.name}`, isOk: message === '', message };
  });
  const isWatching = watches.length > 0;
  const waits = isWatching ? 'its Synchronization' : 'the onStartup hooks';
  const message = unit.isEnabled ? '' : `${isPaused ? 'is paused, and ' : ''}waits for ${waits}`;
  return [{ name: `hook ${name}`, isOk: unit.isEnabled || isPaused, message }, ...watches];
}

function silence(lastContactAtMs: number | undefined, nowMs: number): string {
  if (lastContactAtMs === undefined || nowMs - lastContactAtMs <= MAX_SILENCE_MS) return '';
  const seconds = Math.round((nowMs - lastContactAtMs) / 1000);
  return `no contact with the API server for ${seconds} s, since ${new Date(lastContactAtMs).toISOString()}`;
}
