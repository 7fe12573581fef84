/*
 * A run in a Pod whose image has the hook: the run is claimed, the hook is executed as the operator would execute it, its
 * lines are sent while it runs, and its result when all lines are. What must hold: a Pod that has lost its run ends its
 * hook, a file that is not the operator's is not run, and nothing is waited for without a limit.
 */

import type { JobClaim } from '../../hook/job-desk.ts';
import type { RemoteLine, RemoteResult } from '../../hook/remote-run.ts';
import { messageOf } from '../../lib/message-of.ts';
import { createLogger } from '../../log.ts';
import type { HookOutput } from '../../runner/executor.ts';
import { flawOfHook } from '../agent/hook-file.ts';
import { LineSender, type LineSenderOptions } from '../agent/line-sender.ts';
import { remoteLine } from '../agent/remote-line.ts';
import { failure, resultOf } from '../agent/result-of.ts';
import { afterStop, getContexts, openSession, runText, type Agent } from './agent.ts';
import { outputAsk } from './asks.ts';
import { awaitEnd, deliver, type DeliveryOptions } from './deliver.ts';
import { runHook } from './hook-run.ts';
import type { Session } from './session.ts';

export interface ImageAgent extends Agent {
  readonly hooksDir: string;
  readonly tmpDir: string;
  /** Of the hook. */
  readonly hookEnv: Readonly<Record<string, string | undefined>>;
  /** The own output, for the log of the Pod. */
  readonly write: (stream: RemoteLine['stream'], text: string) => void;
}

/** Executes the run of this Pod; resolves to the exit code. */
export async function runImage(agent: ImageAgent): Promise<number> {
  using ends = new DisposableStack();
  const opened = await openSession(agent, ends);
  if (opened.type === 'none') return opened.exitCode;
  const { session } = opened;
  const { times, stop } = agent;
  const over = new AbortController();
  const lines = new LineSender({ ...times, lost: session.lost, send: lineSending(agent, session) });
  const sending = lines.run(over.signal);
  try {
    const result = await execute(agent, session, lines);
    ends.use(afterStop(stop, times.stopLimitMs, () => over.abort()));
    lines.close();
    await sending;
    if (result === undefined || session.lost.aborted) return lost(agent, session);
    const instead = (why: string): RemoteResult => failure('output', `hook ${session.claim.hook}: ${why}`);
    return await finish(result, agent, { session, times, instead, signal: over.signal });
  } finally {
    over.abort();
    await sending;
  }
}

function lineSending({ times, say }: Agent, session: Session): LineSenderOptions['send'] {
  return async (lines, signal) => {
    const told = await session.askOn(outputAsk(lines), { limitMs: times.resultLimitMs, signal });
    if (told.type !== 'refused') return;
    if (told.status === 403 || told.status === 410) session.lose(`${told.message} (${told.status})`);
    else say(`lines were refused: ${told.message} (${told.status})`);
  };
}

/** Runs the hook, unless there is a reason not to; undefined when the run was lost before. */
async function execute(agent: ImageAgent, session: Session, lines: LineSender): Promise<RemoteResult | undefined> {
  const { claim } = session;
  const { hook } = claim;
  const flaw = await flawOfHook({ hooksDir: agent.hooksDir, pod: 'Job' }, claim);
  if (flaw !== undefined) {
    agent.say(flaw);
    return failure('environment', `hook ${hook} failed: ${flaw}`);
  }
  const got = await getContexts(agent, session);
  if (got.type === 'lost') return undefined;
  if (got.type === 'none') {
    agent.say(got.why);
    return failure('environment', `hook ${hook} failed: ${got.why}`, { isCutOff: agent.stop.aborted });
  }
  return executeHook(agent, session, { claim, contexts: got.contexts, lines });
}

interface Given {
  readonly claim: JobClaim;
  readonly contexts: readonly Uint8Array[];
  readonly lines: LineSender;
}

async function executeHook(
  agent: ImageAgent,
  session: Session,
  { claim, contexts, lines }: Given,
): Promise<RemoteResult> {
  const { hooksDir, tmpDir, hookEnv: env, write, say, stop } = agent;
  const { hook } = claim;
  const log = createLogger({ format: 'text', level: 'info', write: (text) => write('stderr', text) });
  const onOutput = (output: HookOutput): void => {
    const line = remoteLine(output);
    write(line.stream, `${printedText(line)}\n`);
    lines.push(line);
  };
  const ending = new AbortController();
  // The reason is that of the failure, which tells it to people.
  const end = (): void => ending.abort(session.lost.aborted ? session.lost.reason : new Error(ENDING));
  const either = AbortSignal.any([stop, session.lost]);
  either.addEventListener('abort', end, { once: true });
  if (either.aborted) end();
  try {
    const run = { claim, hooksDir, tmpDir, env, contexts, onOutput, log };
    const result = resultOf(hook, await runHook(run, ending.signal));
    return stop.aborted ? notByHook(result) : result;
  } catch (error) {
    say(messageOf(error));
    return failure('environment', `hook ${hook} failed: it could not be run in its Job: ${messageOf(error)}`);
  } finally {
    either.removeEventListener('abort', end);
  }
}

const ENDING = 'the Pod of its Job is ending';

/** A hook that was ended with its Pod, as by an eviction, is not at fault. */
function notByHook(result: RemoteResult): RemoteResult {
  const isEnded = result.type === 'failed' && result.by === 'hook' && result.isCutOff && !result.timedOut;
  return isEnded ? { ...result, by: 'environment' } : result;
}

/** An entry is printed as a JSON object, so that its fields are in the log of the Pod. */
function printedText({ line, entry }: RemoteLine): string {
  return entry === undefined ? line : JSON.stringify({ level: entry.level, msg: line, ...entry.fields });
}

async function finish(result: RemoteResult, agent: ImageAgent, options: DeliveryOptions): Promise<number> {
  const { session } = options;
  const delivery = await deliver(result, options);
  switch (delivery.type) {
    case 'lost':
      return lost(agent, session);
    case 'failed':
      agent.say(`${runText(session.claim)}: ${delivery.why}`);
      return 1;
    case 'accepted':
      await awaitEnd(delivery.result, { ...options, signal: AbortSignal.any([options.signal, agent.stop]) });
      return exitCodeOf(delivery.result);
    case 'ended':
      agent.say(`${runText(session.claim)} had ended before its result was there`);
      return exitCodeOf(result);
  }
}

function exitCodeOf({ type }: RemoteResult): number {
  return type === 'exited' ? 0 : 1;
}

function lost({ say }: Agent, { lost: { reason }, claim }: Session): number {
  say(`${runText(claim)} is not run here any more: ${messageOf(reason)}`);
  return 0;
}
