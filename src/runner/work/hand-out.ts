/** A worker that waits for runs. */
export interface FreeWorker {
  readonly worker: string;
  /** How many runs it executes at the same time. */
  readonly capacity: number;
  /** How many it has. */
  readonly held: number;
  /** How many it asks for, whatever its capacity is. */
  readonly free: number;
  /** Since when it waits. */
  readonly sinceMs: number;
}

/** A run that goes to a worker. */
export interface Assignment<R> {
  readonly run: R;
  readonly worker: string;
}

/**
 * Decides which worker gets which run of a pool: the run that waits longest goes to the worker with the smallest share of
 * its capacity in use; of several, to the one that waits longest. None gets more than it asks for, or has room for.
 */
export function handOut<R>(workers: readonly FreeWorker[], waiting: readonly R[]): readonly Assignment<R>[] {
  const places = workers.map((worker) => ({ ...worker, room: roomOf(worker) }));
  const assignments: Assignment<R>[] = [];
  for (const run of waiting) {
    const place = places.filter(({ room }) => room > 0).reduce(better, undefined);
    if (place === undefined) break;
    place.room -= 1;
    place.held += 1;
    assignments.push({ run, worker: place.worker });
  }
  return assignments;
}

interface Place {
  readonly worker: string;
  readonly capacity: number;
  readonly sinceMs: number;
  held: number;
  room: number;
}

function better(best: Place | undefined, place: Place): Place {
  if (best === undefined) return place;
  const order = place.held / place.capacity - best.held / best.capacity || place.sinceMs - best.sinceMs;
  return order < 0 ? place : best;
}

/** How many runs a worker can be given. */
function roomOf({ capacity, held, free }: FreeWorker): number {
  return Math.max(0, Math.min(free, capacity - held));
}
