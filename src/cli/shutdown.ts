import { constants } from 'node:os';

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Returns an AbortSignal that aborts at the first of the signals; a second one exits at once with 128 + its number. */
export function shutdownSignal(
  onSignal: (name: string) => void,
  names: readonly EndSignal[] = ['SIGINT', 'SIGTERM'],
): AbortSignal {
  const controller = new AbortController();
  for (const name of names) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort();
      onSignal(name);
    });
  }
  return controller.signal;
}
