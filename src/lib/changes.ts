import { Bell } from './bell.ts';

/** Tells any number of followers that something changed; changes in quick succession count as one. */
export class Changes {
  readonly #followers = new Set<() => void>();

  readonly notify = (): void => {
    for (const tell of this.#followers) tell();
  };

  /** Yields after each change since the call, until `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<void> {
    const state = { hasChanged: false, bell: new Bell() };
    const tell = (): void => {
      state.hasChanged = true;
      state.bell.ring();
    };
    this.#followers.add(tell);
    signal.addEventListener('abort', state.bell.ring, { once: true });
    signal.addEventListener('abort', () => this.#followers.delete(tell), { once: true });
    return changesOf(state, signal);
  }
}

interface Following {
  hasChanged: boolean;
  readonly bell: Bell;
}

async function* changesOf(state: Following, signal: AbortSignal): AsyncGenerator<void, void, void> {
  while (!signal.aborted) {
    if (!state.hasChanged) await state.bell.rung();
    if (signal.aborted || !state.hasChanged) continue;
    state.hasChanged = false;
    yield;
  }
}
