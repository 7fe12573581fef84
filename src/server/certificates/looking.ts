import { Bell } from '../../lib/bell.ts';
import { runAll } from '../../lib/run-all.ts';
import { sleep } from '../../lib/sleep.ts';

export interface Looking {
  /** Looks at everything again; resolves to the milliseconds after which it wants to look again at the latest. */
  readonly look: (signal: AbortSignal) => Promise<number>;
  /** What is looked at; each may yield at any time, also during a look, which is then followed by another. */
  readonly changes: readonly ((signal: AbortSignal) => AsyncIterable<void>)[];
}

/** Looks at once, then after each change and whenever the time is over, one look at a time, until `signal` aborts. */
export async function keepLooking({ look, changes }: Looking, signal: AbortSignal): Promise<void> {
  const state = { hasChanged: false, bell: new Bell() };
  const follow = (followed: Looking['changes'][number]) => async (end: AbortSignal) => {
    for await (const _ of followed(end)) {
      state.hasChanged = true;
      state.bell.ring();
    }
  };
  const repeat = async (end: AbortSignal): Promise<void> => {
    end.addEventListener('abort', state.bell.ring, { once: true });
    while (!end.aborted) {
      state.hasChanged = false;
      const waitMs = await look(end);
      if (!state.hasChanged && !end.aborted) await rungOrAfter(state.bell, waitMs);
    }
  };
  await runAll([...changes.map(follow), repeat], signal);
}

async function rungOrAfter(bell: Bell, waitMs: number): Promise<void> {
  const end = new AbortController();
  await Promise.race([bell.rung(), sleep(waitMs, end.signal)]);
  end.abort();
}
