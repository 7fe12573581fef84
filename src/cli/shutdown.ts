import { constants } from 'node:os';

/** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once with 128 + its number. */
export function shutdownSignal(onSignal: (name: string) => void): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort();
      onSignal(name);
    });
  }
  return controller.signal;
}
