import { randomUUID } from 'node:crypto';
import { UsageError } from '../errors.ts';
import type { ScheduleBinding } from '../hook/binding.ts';
import { nearest } from '../hook/nearest.ts';
import type { ScheduleControl, ScheduleHold, ScheduleStatus } from '../hook/schedule-control.ts';
import { sleep } from '../lib/sleep.ts';
import type { Logger } from '../log.ts';
import { HEARTBEAT_MS, type BindingSchedule } from '../sources/schedule/binding-schedule.ts';
import type { ScheduleRecord } from '../sources/schedule/record.ts';
import type { ScheduleRecords } from '../sources/schedule/records.ts';
import type { Kept } from '../state/kept.ts';
import { MemoryRecords } from '../state/records.ts';
import type { HookUnit } from '../units/hook-unit.ts';

export interface SchedulesOptions {
  readonly units: () => readonly HookUnit[];
  readonly kept: Kept<ScheduleRecord>;
  /** Whether every schedule is persisted, and not only those that make up for what they missed. */
  readonly keepsAll: boolean;
  /** The Pod or machine; only one operator at a time is of this name. */
  readonly host: string;
  /** What holds the queue in which this run waits. */
  readonly holdOf?: (runId: string) => ScheduleHold | undefined;
  readonly log: Logger;
}

/** The schedules of all hooks: where their state is, and what a person may ask of them. */
export class Schedules implements ScheduleControl {
  /** Names this process, where several share their state. */
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

  /** Why schedules are not persisted as they should be; undefined when all is well. */
  get problem(): string | undefined {
    return this.#options.kept.problem;
  }

  /** Reads and writes what is persisted, until `signal` aborts and for a few seconds more. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#options.kept.run(signal), this.#renew(signal)]);
  }

  /** The operator ends: runs that have not ended are left to the next one. */
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
      await sleep(HEARTBEAT_MS, signal);
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
