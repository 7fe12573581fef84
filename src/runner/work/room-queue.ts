import { abortable } from '../../lib/abortable.ts';
import { latch, type Latch } from '../../lib/latch.ts';

/** Who was let go is to execute within this time; after it the place is given to another. */
export const ROOM_MS = 1000;

interface Room {
  /** Those that wait, in the order of their calls. */
  readonly waiting: Latch<void>[];
  /** When each was let go that has not executed since. */
  letGoMs: number[];
}

/** Who waits for a place at a worker before it prepares a run, by pool. */
export class RoomQueue {
  readonly #rooms = new Map<string, Room>();

  get pools(): Iterable<string> {
    return this.#rooms.keys();
  }

  waitingIn(pool: string): number {
    return this.#rooms.get(pool)?.waiting.length ?? 0;
  }

  /** Resolves when it is let go; rejects with the reason of `signal`. `onWait` is called when it waits. */
  async wait(pool: string, signal: AbortSignal, onWait: () => void): Promise<void> {
    signal.throwIfAborted();
    const place = latch();
    const room = this.#rooms.get(pool) ?? { waiting: [], letGoMs: [] };
    this.#rooms.set(pool, room);
    room.waiting.push(place);
    onWait();
    try {
      await abortable(place.promise, signal);
    } finally {
      const at = room.waiting.indexOf(place);
      if (at !== -1) room.waiting.splice(at, 1);
      this.#tidy(pool);
    }
  }

  /** Lets go as many as there are places, less those that were let go before; returns when that is worth another try. */
  letGo(pool: string, places: number, nowMs: number): number | undefined {
    const room = this.#rooms.get(pool);
    if (room === undefined) return undefined;
    room.letGoMs = room.letGoMs.filter((atMs) => nowMs - atMs < ROOM_MS);
    while (room.letGoMs.length < places && room.waiting.length > 0) {
      room.waiting.shift()?.resolve();
      room.letGoMs.push(nowMs);
    }
    this.#tidy(pool);
    const [oldest] = room.letGoMs;
    return room.waiting.length === 0 || oldest === undefined ? undefined : oldest + ROOM_MS;
  }

  /** One that was let go has executed. */
  executed(pool: string): void {
    this.#rooms.get(pool)?.letGoMs.shift();
    this.#tidy(pool);
  }

  /** Nobody waits any more. */
  letAllGo(): void {
    for (const { waiting } of this.#rooms.values()) for (const place of waiting.splice(0)) place.resolve();
    this.#rooms.clear();
  }

  #tidy(pool: string): void {
    const room = this.#rooms.get(pool);
    if (room?.waiting.length === 0 && room.letGoMs.length === 0) this.#rooms.delete(pool);
  }
}
