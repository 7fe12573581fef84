/*
 * The desk at which Pods ask for their runs, over what this operator knows of them. A Pod that is not known here may be
 * one of an earlier leader, so a refusal says whether it should ask again, end its hook, or end. What must hold: what
 * comes with an old epoch, or from another Pod, changes nothing.
 */

import type { JobDesk, JobTicket } from '../../hook/job-desk.ts';
import type { DeskAnswer, DeskCaller, RemoteResult } from '../../hook/remote-run.ts';
import { sleep } from '../../lib/sleep.ts';
import { refused, type Refused } from '../desk-refusal.ts';
import { claimRun, refusedByServer, type ClaimParts } from './claim-run.ts';
import type { JobNamespace } from './job-namespace.ts';
import { readJob } from './job-requests.ts';
import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';

export interface DeskParts extends ClaimParts {
  readonly runs: LiveRuns;
  /** Undefined where this replica does not lead, or has no runs in the namespace. */
  readonly namespaceOf: (name: string) => JobNamespace | undefined;
}

const ENDED = refused(410, 'the run has ended');
const NOT_YET = refused(503, 'this replica does not lead, or has just begun to: ask again, or ask another');

/** Opens the desk; it answers for as long as the parts do. */
export function openDesk(parts: DeskParts): JobDesk {
  const { runs } = parts;
  return {
    claim: async (job, caller, signal) => {
      try {
        const run = runs.find(caller.namespace, job) ?? (await unknownJob(job, caller, parts, signal));
        return 'type' in run ? run : await claimRun(run, caller, parts, signal);
      } catch (error) {
        return refusedByServer(error);
      }
    },
    contexts: (ticket) => {
      const run = heldBy(ticket, parts);
      if ('type' in run) return run;
      const { contexts } = run;
      return contexts === undefined ? refused(410, 'the binding contexts are gone') : { type: 'ok', value: contexts };
    },
    output: (ticket, lines) => {
      const run = heldBy(ticket, parts);
      if ('type' in run) return run;
      run.print(lines);
      return TAKEN;
    },
    result: (ticket, result) => {
      const run = heldBy(ticket, parts);
      return 'type' in run ? run : takeResult(run, result);
    },
    fate: async (ticket, waitMs, signal) => {
      if (isOver(ticket, parts)) return { type: 'ok', value: 'ended' };
      const run = heldBy(ticket, parts);
      if ('type' in run) return run;
      return { type: 'ok', value: await fateOf(run, waitMs, signal) };
    },
  };
}

const TAKEN = { type: 'ok', value: undefined } as const;

/** Why a Job cannot be claimed of which no run is known: the watch may be late, so the API server has the last word. */
async function unknownJob(job: string, caller: DeskCaller, parts: DeskParts, signal: AbortSignal): Promise<Refused> {
  const answer = withoutRun(job, caller, parts);
  if (answer.status !== 404) return answer;
  const found = await readJob(parts.client, { namespace: caller.namespace, name: job }, signal);
  return found === undefined ? ENDED : answer;
}

/** The run of a ticket that counts. */
function heldBy({ job, caller, epoch }: JobTicket, parts: DeskParts): LiveRun | Refused {
  const run = parts.runs.find(caller.namespace, job);
  if (run === undefined) return withoutRun(job, caller, parts);
  const { phase, claim } = run;
  if (phase.type === 'left') return NOT_YET;
  if (phase.type === 'ended' || phase.type === 'concluded') return ENDED;
  if (claim?.podUid !== caller.podUid) return refused(409, 'another claim of the run counts');
  // An earlier leader may have taken its result, and may take more: only what is claimed here is written after that.
  if (!run.isGranted) return refused(409, 'the leader has changed, the run is to be claimed anew');
  if (epoch > claim.epoch) return refused(503, 'another replica has granted the run since, ask it');
  return epoch === claim.epoch ? run : refused(409, `epoch ${epoch} is over, ${claim.epoch} counts`);
}

/** Why there is no run of the Job, as far as the watch says it: a run is ended whose Job is there without one. */
function withoutRun(job: string, { namespace: name }: DeskCaller, { runs, namespaceOf }: DeskParts): Refused {
  const namespace = namespaceOf(name);
  if (runs.isPast(name, job)) return ENDED;
  if (namespace === undefined || !namespace.isListed) return NOT_YET;
  return namespace.job(job) === undefined ? refused(404, `the run of the Job ${job} is not known here yet`) : ENDED;
}

function takeResult(run: LiveRun, result: RemoteResult): DeskAnswer<undefined> {
  run.resulted(result);
  return TAKEN;
}

/** Whether the Pod may end, whatever its claim was. */
function isOver({ job, caller }: JobTicket, { runs }: DeskParts): boolean {
  const type = runs.find(caller.namespace, job)?.phase.type;
  return type === undefined ? runs.isPast(caller.namespace, job) : type === 'ended' || type === 'concluded';
}

async function fateOf(run: LiveRun, waitMs: number, signal: AbortSignal): Promise<'waiting' | 'ended'> {
  // Each request with a body asks this first, and a run may have thousands.
  if (waitMs > 0) await sleep(waitMs, AbortSignal.any([signal, run.concluded]));
  return run.concluded.aborted ? 'ended' : 'waiting';
}
