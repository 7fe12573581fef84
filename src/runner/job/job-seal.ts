import { writeFacts, type JobFacts } from './job-facts.ts';

/** Seals a text with what only the replicas of this installation know; undefined while that is not known. */
export type Seal = (text: string) => string | undefined;

/** What a grant is about; the uids are those of the API server, so that no grant can be used for another Job. */
export interface SealedGrant {
  readonly uid: string;
  readonly podUid: string;
  readonly epoch: number;
  readonly facts: JobFacts;
}

/** The text of which a grant has the seal: the same for the facts that were written, and for those that were read. */
export function sealedText({ uid, podUid, epoch, facts }: SealedGrant): string {
  return JSON.stringify([uid, podUid, epoch, JSON.parse(writeFacts(facts), sorted)]);
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
