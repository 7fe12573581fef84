/*
 * One run at a worker, from its arrival to its end. It begins when it is certain that it is this worker's: when it has
 * just arrived, or a beat that named it was answered without a word of it. Then its file is compared, its contexts are
 * fetched where they did not come along, its hook is executed with its lines on the way, and its result is sent until it
 * is taken. What must hold: no hook runs before or after the operator counts on it, and nothing is sent of a run that is
 * over.
 */

import { abortable } from '../../lib/abortable.ts';
import { within } from '../../lib/deadline.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import type { Execution, HookOutput } from '../../runner/executor.ts';
import { flawOfHook, hookOf } from '../agent/hook-file.ts';
import { LineSender } from '../agent/line-sender.ts';
import { remoteLine } from '../agent/remote-line.ts';
import { failure, resultOf } from '../agent/result-of.ts';
import { killAfterMs } from './contact.ts';
import { fetchContexts, handIn, sendLines } from './hand-in.ts';
import type { LiveRun } from './live-run.ts';
import type { WorkSession } from './session.ts';

/** Carries a run out; never rejects. */
export async function carryOut(session: WorkSession, run: LiveRun, isSure: boolean): Promise<void> {
  const { metrics } = session;
  const { hook, runId } = run.handed.run;
  const log = session.log.child({ hook, run: runId });
  log.debug({ epoch: run.handed.epoch }, 'run begins');
  const startedAtMs = session.elapsed();
  let outcome: Outcome = 'lost';
  try {
    const result = await resultFor(session, run, isSure).catch((err: unknown) => {
      log.error({ err }, 'run could not be carried out');
      return failure('environment', `hook ${hook} failed: its worker could not run it: ${messageOf(err)}`);
    });
    if (result !== undefined) {
      if (session.condition.ended(result)) log.warn(messageIn(result), BAD_CONDITION);
      outcome = (await handIn(session, run, result)) ? outcomeOf(result) : 'lost';
    }
  } catch (err) {
    log.error({ err }, 'result of a run could not be sent');
  }
  metrics.runs.inc({ outcome });
  const fields = { outcome, durationMs: Math.round(session.elapsed() - startedAtMs) };
  if (outcome === 'lost') log.warn({ ...fields, reason: whyOver(run) }, 'run is not run here any more');
  else log.debug(fields, 'run ended');
}

const BAD_CONDITION =
  'this worker could not run a hook: it claims one at a time, after a pause, until one ends otherwise';

function messageIn(result: RemoteResult): { readonly reason?: string } {
  return 'message' in result ? { reason: result.message } : {};
}

type Outcome = 'succeeded' | 'later' | 'failed' | 'lost';

function outcomeOf(result: RemoteResult): Outcome {
  if (result.type !== 'exited') return 'failed';
  return result.isLater ? 'later' : 'succeeded';
}

function whyOver({ over }: LiveRun): string {
  return over.aborted ? messageOf(over.reason) : 'its result was not taken';
}

/** Undefined when the run is over, so that nobody wants a result. */
async function resultFor(session: WorkSession, run: LiveRun, isSure: boolean): Promise<RemoteResult | undefined> {
  const { hook } = run.handed.run;
  await endOthers(session, run);
  if (!isSure) await abortable(session.beats.confirm(session.lost), run.over).catch(() => {});
  if (isOver(session, run)) return undefined;
  const flaw = await flawOfHook({ hooksDir: session.hooksDir, pod: 'worker' }, run.handed.run);
  if (flaw !== undefined) return failure('environment', `hook ${hook} failed: ${flaw}`);
  const contexts = run.handed.contexts ?? (await fetchContexts(session, run));
  if (contexts === undefined || isOver(session, run)) return undefined;
  const execution = await execute(session, run, contexts);
  if (wasFenced(session, execution)) run.end(SILENT, true);
  return run.over.aborted ? undefined : resultOf(hook, execution);
}

/** Whether the hook must not be started any more. */
function isOver({ lost, contact, elapsed }: WorkSession, run: LiveRun): boolean {
  if (contact.isSilent(elapsed())) run.end(SILENT, true);
  return run.over.aborted || lost.aborted;
}

const SILENT = 'this worker had no contact with the operator';

/** The same run with another epoch ends before: only the last one counts. */
async function endOthers({ held }: WorkSession, run: LiveRun): Promise<void> {
  for (const other of held.others(run.held)) other.end('it was handed out again', true);
  await held.until((runs) => runs.others(run.held).length === 0, run.over);
}

/** While the worker was silent its hooks were killed, which is no fault of theirs, and the operator knows them as lost. */
function wasFenced({ contact, elapsed }: WorkSession, execution: Execution): boolean {
  if (execution.type !== 'failed' || !contact.isSilent(elapsed())) return false;
  return execution.isCutOff === true || execution.by === 'environment';
}

async function execute(session: WorkSession, run: LiveRun, contexts: readonly Uint8Array[]): Promise<Execution> {
  const { runners, terms, saidDigest: digest, contact, elapsed, times, outputLog, hooksDir } = session;
  const { run: remote, env } = run.handed;
  const { runId, attempt, traceparent, plainExitCodes, backgroundLimitMs } = remote;
  const send = sendLines(session, run);
  const tooLate = new AbortController();
  const lost = AbortSignal.any([run.over, tooLate.signal]);
  const lines = new LineSender({ batchMs: times.batchMs, lost, send });
  const sending = lines.run(lost);
  const onOutput = (output: HookOutput): void => {
    outputLog.output({ hook: remote.hook, run: runId }, output);
    lines.push(remoteLine(output));
  };
  run.phase = 'executes';
  try {
    const kind = { plainExitCodes, backgroundLimitMs, killAfterMs: killAfterMs(terms), digest };
    const request = { hook: hookOf(hooksDir, remote), runId, attempt, contexts, onOutput, ...(env && { env }) };
    const traced = { ...request, ...(traceparent !== undefined && { traceparent }) };
    return await runners.execute(kind, traced, run.ending, () => contact.fenceMs(elapsed()));
  } finally {
    run.phase = 'hands in';
    lines.close();
    const late = (): void => tooLate.abort();
    await within(sending, { limitMs: times.linesLimitMs, late, signal: run.over }).catch(() => {});
  }
}
