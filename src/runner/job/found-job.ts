import type { JobFacts } from './job-facts.ts';
import { jobName } from './job-object.ts';
import { sealedText, type Seal } from './job-seal.ts';
import type { JobGrant, JobState } from './job-state.ts';
import { isOver, type SeenPod } from './pod-state.ts';

/** What is to become of a Job that this operator finds and has not made. */
export type FoundJob =
  /** It goes by itself, or somebody has ended it. */
  | { readonly type: 'past' }
  /** It has the label of this installation, and is none of its Jobs. */
  | { readonly type: 'foreign' }
  | { readonly type: 'useless'; readonly why: string }
  /** The Pod that has its run may still run its hook. */
  | { readonly type: 'runs'; readonly facts: JobFacts; readonly grant: JobGrant & { readonly podUid: string } };

export interface JudgeParts {
  /** Of hooklet: who may make Pods there may do what hooklet may. Elsewhere a grant needs the seal. */
  readonly namespace: string;
  readonly seal?: Seal;
  /** Whether a run with this id is known: of two Jobs with the id of a run, as in two namespaces, one is none. */
  readonly isKnown: (runId: string) => boolean;
}

/** Judges a Job that an earlier leader may have left; `pods` are those that the watch shows of it. */
export function judgeFound(job: JobState, pods: readonly SeenPod[], parts: JudgeParts): FoundJob {
  const { facts, name, grant } = job;
  if (job.isConcluded || job.isDeleting) return { type: 'past' };
  if (facts === undefined || name !== jobName(facts.runId) || parts.isKnown(facts.runId)) return { type: 'foreign' };
  const { podUid } = grant;
  if (podUid === undefined) return { type: 'useless', why: 'nobody has claimed its run' };
  if (!isBelieved(job, facts, podUid, parts)) return { type: 'useless', why: 'its claim was not written by hooklet' };
  const pod = pods.find(({ uid }) => uid === podUid);
  const isRunning = pod !== undefined && !isOver(pod);
  if (!isRunning) return { type: 'useless', why: 'its Pod has ended, and has sent no result' };
  return { type: 'runs', facts, grant: { ...grant, podUid } };
}

function isBelieved(
  { namespace, uid, grant: { epoch, seal } }: JobState,
  facts: JobFacts,
  podUid: string,
  parts: JudgeParts,
): boolean {
  if (parts.seal === undefined || namespace === parts.namespace) return true;
  return seal !== undefined && seal === parts.seal(sealedText({ uid, podUid, epoch, facts }));
}
