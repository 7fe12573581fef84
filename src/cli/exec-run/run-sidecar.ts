/*
 * A run in a Pod whose hook is the program of another container: this one brings the files of the run before that begins,
 * and sends what it wrote when the kubelet ends it, which it does when the other container has ended. The kubelet starts
 * a sidecar again that ends before: then the files are left as they are, because the hook may be running.
 */

import { messageOf } from '../../lib/message-of.ts';
import { sleep } from '../../lib/sleep.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import { failure } from '../agent/result-of.ts';
import { afterStop, getContexts, openSession, runText, type Agent } from './agent.ts';
import { outputAsk } from './asks.ts';
import { deliver } from './deliver.ts';
import { isReady, readRunFiles, writeRunFiles } from './job-folder.ts';
import type { Session } from './session.ts';

const NOTHING = new Uint8Array();

/** Serves the run of this Pod; resolves to the exit code. */
export async function runSidecar(agent: Agent, folder: string): Promise<number> {
  using ends = new DisposableStack();
  const opened = await openSession(agent, ends);
  if (opened.type === 'none') return opened.exitCode;
  const { session } = opened;
  const { times, say, stop } = agent;
  const over = new AbortController();
  ends.use(afterStop(stop, times.sidecarLimitMs, () => over.abort()));
  const problem = isReady(folder) ? undefined : await bringFiles(agent, session, folder);
  if (problem !== undefined) say(problem);
  else await beat(agent, session);
  if (session.lost.aborted) return lost(agent, session);
  const { hook } = session.claim;
  const result =
    problem === undefined
      ? await takeFiles(folder)
      : failure('environment', `hook ${hook} failed: ${problem}`, { isCutOff: stop.aborted });
  const instead = (message: string): RemoteResult => ({ type: 'unreadable', message });
  const delivery = await deliver(result, { session, times, instead, signal: over.signal });
  if (delivery.type === 'lost') return lost(agent, session);
  if (delivery.type === 'failed') say(`${runText(session.claim)}: ${delivery.why}`);
  return delivery.type === 'failed' || problem !== undefined ? 1 : 0;
}

/** Resolves to why the files are not there. */
async function bringFiles(agent: Agent, session: Session, folder: string): Promise<string | undefined> {
  const got = await getContexts(agent, session);
  if (got.type === 'none') return got.why;
  if (got.type === 'lost') return messageOf(session.lost.reason);
  try {
    await writeRunFiles(folder, got.contexts);
    return undefined;
  } catch (error) {
    return `its files could not be written to ${folder}: ${messageOf(error)}`;
  }
}

/** Lets the operator hear of this Pod until it ends, or has lost its run. */
async function beat({ times, stop }: Agent, session: Session): Promise<void> {
  const end = AbortSignal.any([stop, session.lost]);
  for (;;) {
    await sleep(times.beatMs, end);
    if (end.aborted) return;
    const told = await session.ask(outputAsk(NOTHING), { limitMs: times.resultLimitMs, signal: end });
    if (told.type === 'refused') session.lose(`${told.message} (${told.status})`);
  }
}

async function takeFiles(folder: string): Promise<RemoteResult> {
  try {
    return { type: 'files', files: await readRunFiles(folder) };
  } catch (error) {
    return { type: 'unreadable', message: messageOf(error) };
  }
}

function lost({ say }: Agent, { lost: { reason }, claim }: Session): number {
  say(`${runText(claim)} is not run here any more: ${messageOf(reason)}`);
  return 0;
}
