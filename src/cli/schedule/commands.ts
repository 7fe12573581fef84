import { UsageError } from '../../errors.ts';
import { sleep } from '../../lib/sleep.ts';
import type { ScheduleDocument } from '../../server/schedule-document.ts';
import { ControlFailure, type ControlIo } from '../control/client.ts';
import { outputFormat } from '../options/output-format.ts';
import { scheduleList } from './list.ts';

/** A schedule binding as named on the command line. */
export interface ScheduleTarget {
  readonly hook: string;
  readonly binding: string;
}

const POLL_MS = 250;
const FINAL: readonly string[] = ['succeeded', 'failed', 'interrupted', 'replaced'];

/** `hooklet schedule list`; resolves to the exit code, as the others do. */
export async function listSchedules(output: string | undefined, io: ControlIo): Promise<number> {
  const format = outputFormat(output);
  const { schedules, note } = await readList(io);
  io.stdout(scheduleList(schedules, format, io.now()));
  if (note !== undefined) io.stderr(`${note}\n`);
  return 0;
}

/** `hooklet schedule trigger`; with `isWaiting` waits for the run, and the exit code is 0 only if it succeeded. */
export async function triggerSchedule(target: ScheduleTarget, isWaiting: boolean, io: ControlIo): Promise<number> {
  const { runId } = await io.client.ask('POST', pathOf(target, 'trigger'));
  if (typeof runId !== 'string') throw new ControlFailure('the operator did not say which run it is');
  io.stdout(`${runId}\n`);
  return isWaiting ? waitFor(target, runId, io) : 0;
}

/** `hooklet schedule suspend` and `resume`. */
export async function setSuspended(target: ScheduleTarget, isSuspended: boolean, io: ControlIo): Promise<number> {
  const { hook, binding } = target;
  const { schedule } = await io.client.ask('POST', pathOf(target, isSuspended ? 'suspend' : 'resume'));
  const { next, kept } = isScheduleDocument(schedule) ? schedule : {};
  io.stdout(
    `${hook} ${binding} ${isSuspended ? 'suspended' : `resumed${next === undefined ? '' : `, next ${next}`}`}\n`,
  );
  if (isSuspended && kept === false) {
    io.stderr(
      `Its state is not kept: it goes on when the operator is started again. Start it with --schedule-state.\n`,
    );
  }
  return 0;
}

async function waitFor(target: ScheduleTarget, runId: string, io: ControlIo): Promise<number> {
  for (;;) {
    const { schedules } = await readList(io);
    const schedule = schedules.find(({ hook, binding }) => hook === target.hook && binding === target.binding);
    if (schedule === undefined) throw new ControlFailure(`${target.hook} has no schedule ${target.binding} any more`);
    if (schedule.runId !== runId)
      throw new ControlFailure(`a later run has begun; what became of ${runId} is in the log`);
    const { outcome = '' } = schedule;
    if (FINAL.includes(outcome)) {
      io.stderr(`${runId} ${outcome}${outcome === 'failed' ? `: why is in the log of the operator` : ''}\n`);
      return outcome === 'succeeded' ? 0 : 1;
    }
    await sleep(POLL_MS, io.signal);
    if (io.signal.aborted) throw new ControlFailure(`${runId} goes on without being waited for`);
  }
}

async function readList({ client }: ControlIo): Promise<{
  readonly schedules: readonly ScheduleDocument[];
  readonly note: string | undefined;
}> {
  const { schedules, note } = await client.ask('GET', '/schedules');
  if (!Array.isArray(schedules))
    throw new ControlFailure('the operator gave no list of schedules: is it an older one?');
  return { schedules: schedules.filter(isScheduleDocument), note: typeof note === 'string' ? note : undefined };
}

function isScheduleDocument(value: unknown): value is ScheduleDocument {
  return typeof value === 'object' && value !== null && 'hook' in value && 'binding' in value && 'crontab' in value;
}

function pathOf({ hook, binding }: ScheduleTarget, action: string): string {
  if (hook === '' || binding === '') throw new UsageError('a hook and a binding have names; see hooklet schedule list');
  return `/schedules/${encodeURIComponent(hook)}/${encodeURIComponent(binding)}/${action}`;
}
