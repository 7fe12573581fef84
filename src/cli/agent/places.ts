import { lookup } from 'node:dns/promises';
import { within } from '../../lib/deadline.ts';
import { hostOf, type Place } from './exchange.ts';
import { explainLookup } from './problems.ts';

/** The addresses of replicas, and why there are none of some URLs. */
export interface Places {
  readonly places: readonly Place[];
  readonly problems: readonly string[];
}

const LOOKUP_LIMIT_MS = 5000;
// A headless Service has one for each replica.
const MAX_ADDRESSES = 16;

/** Looks the hosts of URLs up; never rejects. */
export async function findPlaces(urls: readonly URL[]): Promise<Places> {
  const found = await Promise.all(urls.map(placesOf));
  return { places: found.flatMap(({ places }) => places), problems: found.flatMap(({ problems }) => problems) };
}

async function placesOf(url: URL): Promise<Places> {
  const host = hostOf(url);
  const late = (): never => {
    throw new Error(`DNS did not answer within ${LOOKUP_LIMIT_MS / 1000} s`);
  };
  try {
    const found = await within(lookup(host, { all: true }), { limitMs: LOOKUP_LIMIT_MS, late });
    const places = found.slice(0, MAX_ADDRESSES).map(({ address }) => ({ url, address }));
    return { places, problems: [] };
  } catch (error) {
    return { places: [], problems: [explainLookup(host, error)] };
  }
}
