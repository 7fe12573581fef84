import { randomUUID } from 'node:crypto';
import { UsageError } from '../../errors.ts';
import type { ScheduleBinding } from '../../hook/binding.ts';
import { nearest } from '../../hook/nearest.ts';
import type { ScheduleControl, ScheduleHold, ScheduleStatus } from '../../hook/schedule-control.ts';
import { sleepOutside } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { HEARTBEAT_MS, type BindingSchedule } from '../../sources/schedule/binding-schedule.ts';
import type { ScheduleRecord } from '../../sources/schedule/record.ts';
import type { ScheduleRecords } from '../../sources/schedule/records.ts';
import type { Kept } from '../../state/kept.ts';
import { MemoryRecords } from '../../state/records.ts';
import type { HookUnit } from '../../units/hook-unit.ts';

export interface SchedulesOptions {
  readonly units: () => readonly HookUnit[];
  readonly kept: Kept<ScheduleRecord>;
  /** Whether every schedule is persisted, or only those that make up for missed ticks. */
  readonly keepsAll: boolean;
  /** The name of the Pod or machine; no two operators may have the same at a time. */
  readonly host: string;
  /** The hold of the queue in which a run waits; undefined when nothing holds it. */
  readonly holdOf?: (runId: string) => ScheduleHold | undefined;
  readonly log: Logger;
}

/**
 * The schedules of all hooks: where their records are, and what a person may do with them. Units plan and run their
 * schedules themselves; they get their records from here (`recordsOf`). The control socket calls `list`, `trigger`,
 * `suspend` and `resume`.
 *
 * The records of a schedule that makes up for missed ticks are persisted, with `keepsAll` those of all; others end with
 * the process. The operator calls `run` for its whole life, which persists records and renews heartbeats. At its end it
 * calls `interrupt` when the last run has ended, and then aborts `run`, so that interrupted runs are written too.
 */
export class Schedules implements ScheduleControl {
  /** Names this process in records that several processes share: the host, `_` and a random suffix. */
  readonly me: string;
  readonly #options: SchedulesOptions;
  readonly #memory = new MemoryRecords<ScheduleRecord>();

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.me = `${options.host}_${randomUUID().slice(0, 8)}`;
  }

  recordsOf(binding: ScheduleBinding): ScheduleRecords {
    const { keepsAll, kept } = this.#options;
    return keepsAll || binding.missed.type !== 'skip' ? kept : this.#memory;
  }

  /** Why records are not persisted although they should be; undefined while they are. */
  get problem(): string | undefined {
    return this.#options.kept.problem;
  }

  /**
   * Persists records and renews heartbeats until `signal` aborts, then writes what is left for a few seconds at most.
   */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#options.kept.run(signal), this.#renew(signal)]);
  }

  /** The operator ends: interrupts open runs, so that the next operator may take them over. */
  interrupt(): void {
    for (const { runs } of this.#all()) runs.interrupt();
  }

  list(): readonly ScheduleStatus[] {
    return this.#all().map((schedule) => this.#withHold(schedule.status()));
  }

  async trigger(hook: string, binding: string): Promise<string> {
    const runId = await this.#find(hook, binding).trigger();
    this.#options.log.info({ hook, binding, runId }, 'schedule triggered by hand');
    return runId;
  }

  async suspend(hook: string, binding: string): Promise<void> {
    await this.#find(hook, binding).suspend();
    this.#options.log.info({ hook, binding }, 'schedule suspended by hand');
  }

  async resume(hook: string, binding: string): Promise<void> {
    await this.#find(hook, binding).resume();
    this.#options.log.info({ hook, binding }, 'schedule resumed by hand');
  }

  #withHold(status: ScheduleStatus): ScheduleStatus {
    const heldBy = status.runId === undefined ? undefined : this.#options.holdOf?.(status.runId);
    return heldBy === undefined ? status : { ...status, heldBy };
  }

  async #renew(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleepOutside(HEARTBEAT_MS, signal);
      if (!signal.aborted) for (const { runs } of this.#all()) runs.heartbeat();
    }
  }

  #all(): readonly BindingSchedule[] {
    return this.#options.units().flatMap((unit) => unit.schedules);
  }

  #find(hook: string, binding: string): BindingSchedule {
    const all = this.#all();
    const ofHook = all.filter(({ target }) => target.hook === hook);
    if (ofHook.length === 0) {
      const names = [...new Set(all.map(({ target }) => target.hook))];
      throw new UsageError(`no hook ${JSON.stringify(hook)} with schedules${hint(hook, names)}`);
    }
    const found = ofHook.find(({ target }) => target.id === binding);
    if (found !== undefined) return found;
    const ids = ofHook.map(({ target }) => target.id);
    throw new UsageError(`hook ${hook} has no schedule ${JSON.stringify(binding)}${hint(binding, ids)}`);
  }
}

function hint(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return names.length === 0 ? '; there are none' : `; there is ${names.join(', ')}`;
}
