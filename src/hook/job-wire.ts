/*
 * What the Pod of a Job and the operator say to each other, as it is on the wire: paths, claims and fates; lines and the
 * epoch are in `remote-wire.ts`, results in `result-wire.ts`. Both sides import this one. A member that a reader does not
 * know is left alone, so that both sides may be of different versions.
 */

import { parseMembers, type Parsed } from '../lib/members.ts';
import { shown } from '../lib/shown.ts';
import type { JobClaim } from './job-desk.ts';
import { remoteRunIn } from './remote-wire.ts';

/** How long a request for a fate is held at most. */
export const MAX_FATE_WAIT_S = 30;

const JOBS = '/v1/jobs/';
const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const WHATS = ['claim', 'contexts', 'output', 'result', 'fate'] as const;

/** What is asked about a run. */
export type JobWhat = (typeof WHATS)[number];

/** The path of a request. */
export function jobPath(job: string, what: JobWhat): string {
  return `${JOBS}${job}/${what}`;
}

/** Which Job a path is about, and what is asked; undefined for a path of no request. */
export function parseJobPath(path: string): { readonly job: string; readonly what: JobWhat } | undefined {
  if (!path.startsWith(JOBS)) return undefined;
  const [job = '', name, ...more] = path.slice(JOBS.length).split('/');
  const what = WHATS.find((one) => one === name);
  return what === undefined || more.length > 0 || !isJobName(job) ? undefined : { job, what };
}

/** Whether a text can be the name of a Job: a DNS label. */
export function isJobName(text: string): boolean {
  return DNS_LABEL.test(text);
}

/** A claim as the body of an answer. */
export function encodeClaim(claim: JobClaim): string {
  return `${JSON.stringify(claim)}\n`;
}

export function parseClaim(text: string): Parsed<JobClaim> {
  return parseMembers(text, 'the claim', (claim) => ({
    ...remoteRunIn(claim),
    epoch: claim.whole('epoch', 1),
    hasContexts: claim.flag('hasContexts'),
  }));
}

/** How long the Pod wants its request for a fate to be held; more than the limit is the limit. */
export function parseFateWait(text: string | null): Parsed<number> {
  if (text === null) return { type: 'read', value: 0 };
  if (!/^\d{1,6}$/.test(text)) {
    return { type: 'wrong', problem: `the query: wait: got ${shown(text)}, expected a whole number of seconds` };
  }
  return { type: 'read', value: Math.min(Number(text), MAX_FATE_WAIT_S) * 1000 };
}

/** A fate as the body of an answer. */
export function encodeFate(fate: 'waiting' | 'ended'): string {
  return `${JSON.stringify({ fate })}\n`;
}

export function parseFate(text: string): Parsed<'waiting' | 'ended'> {
  return parseMembers(text, 'the fate', (answer) => answer.word('fate', ['waiting', 'ended']));
}
