import type { OperatorLife } from './operator-life.ts';
import type { Activity } from './rest.ts';
import type { WorldCluster } from './world-cluster.ts';

export interface ActivityParts {
  readonly unanswered: number;
  readonly delayed: ReturnType<WorldCluster['delayed']>;
  readonly doing: number;
  readonly life: OperatorLife | undefined;
}

const NO_LIFE = { executing: [], filtering: 0, going: [], isLoaded: true, webhookProblem: undefined } as const;

/** What is under way; what is real comes first. A hook that waits for an answer that is delayed can only wait for a time. */
export function activityOf({ unanswered, delayed, doing, life }: ActivityParts): Omit<Activity, 'count'> {
  const { executing, filtering, going, isLoaded, webhookProblem: problem } = life ?? NO_LIFE;
  if (executing.length > delayed.runs) return { type: 'busy', what: `hooks run: ${executing.join(', ')}` };
  if (!isLoaded) return { type: 'busy', what: 'hooks are loaded' };
  if (filtering > 0) return { type: 'busy', what: `${filtering} objects are filtered` };
  if (unanswered > 0) return { type: 'busy', what: `${unanswered} requests are open` };
  if (delayed.answers > 0) return { type: 'waiting', what: `${delayed.answers} answers are delayed` };
  if (going.length > 0) return { type: 'waiting', what: `runs go on: ${going.join(', ')}` };
  if (problem !== undefined) return { type: 'waiting', what: `webhooks: ${problem}` };
  if (doing > 0) return { type: 'waiting', what: 'the action is under way' };
  return { type: 'idle', what: 'something is done again and again' };
}
