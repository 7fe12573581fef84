import { JOB_ENV, type JobClaim } from '../../hook/job-desk.ts';
import { Reach } from '../agent/reach.ts';
import { askOf, CLAIM, contextsAsk } from './asks.ts';
import type { JobEnvironment } from './environment.ts';
import { HttpsWire } from './https-wire.ts';
import { Session } from './session.ts';
import type { AgentTimes } from './times.ts';

/** What both ways to execute a run in a Job share. */
export interface Agent {
  readonly environment: JobEnvironment;
  readonly times: AgentTimes;
  /** Prints a line for people, with the name of the program before it. */
  readonly say: (text: string) => void;
  /** Aborts when the Pod is to end. */
  readonly stop: AbortSignal;
}

/** The claim on a run, or the exit code of a Pod that has none. */
export type Opened =
  | { readonly type: 'granted'; readonly session: Session }
  | { readonly type: 'none'; readonly exitCode: number };

/** Other Pods, and runs that have ended, are no failure of this one. */
const SETTLED = new Set([409, 410]);

/** Claims the run of this Pod; `ends` closes the connections. */
export async function openSession(agent: Agent, ends: DisposableStack): Promise<Opened> {
  const { environment, times, say, stop } = agent;
  const wire = new HttpsWire({ authority: environment.authority, connectLimitMs: times.connectLimitMs });
  ends.defer(() => wire.close());
  const { job, urls, tokenFile } = environment;
  const onUnreached = (why: string): void => say(`the operator cannot be reached, it is tried again: ${why}`);
  const reach = new Reach({ urls, tokenFile, wire, times, authority: JOB_ENV.authority, onUnreached });
  const reached = await reach.until(askOf(job, CLAIM), { limitMs: times.claimLimitMs, signal: stop });
  if (reached.type === 'ok')
    return { type: 'granted', session: new Session(reached.value, { job, reach, times, say }) };
  if (reached.type === 'refused') {
    say(`this Pod does not get the run: ${reached.message} (${reached.status}); nothing is run`);
    return { type: 'none', exitCode: SETTLED.has(reached.status) ? 0 : 1 };
  }
  say(stop.aborted ? 'the Pod ends before it had its run' : `the run could not be claimed: ${reached.why}`);
  return { type: 'none', exitCode: 1 };
}

/** The binding contexts of a run, or why there are none. */
export type GotContexts =
  | { readonly type: 'got'; readonly contexts: readonly Uint8Array[] }
  | { readonly type: 'lost' }
  | { readonly type: 'none'; readonly why: string };

/** Gets the binding contexts. */
export async function getContexts({ times, stop }: Agent, session: Session): Promise<GotContexts> {
  for (;;) {
    const { claim } = session;
    if (!claim.hasContexts) return { type: 'none', why: NO_CONTEXTS };
    const told = await session.ask(contextsAsk(claim), { limitMs: times.claimLimitMs, signal: stop });
    switch (told.type) {
      case 'ok':
        return { type: 'got', contexts: told.value };
      case 'renewed':
        continue;
      case 'lost':
        return told;
      case 'unreached':
        return { type: 'none', why: stop.aborted ? ENDING : `its binding contexts could not be had: ${told.why}` };
      case 'refused':
        session.lose(`${told.message} (${told.status})`);
        return { type: 'lost' };
    }
  }
}

const NO_CONTEXTS = 'its binding contexts cannot be had any more, as the operator has changed: it was not started';
const ENDING = 'the Pod of its Job is ending, it was not started';

/** What a claim is called in messages. */
export function runText({ hook, runId, attempt }: JobClaim): string {
  return `run ${runId} of hook ${hook}, attempt ${attempt}`;
}

/** Calls `act` some time after `stop` has aborted, unless it is disposed of before. */
export function afterStop(stop: AbortSignal, delayMs: number, act: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => void (timer = setTimeout(act, delayMs));
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', begin);
    },
  };
}
