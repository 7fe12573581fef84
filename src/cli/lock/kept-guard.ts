import { openGuard, type Guard, type Hold } from './guard-process.ts';

export interface KeptGuardOptions {
  /** The process to guard, or the group of a negative number. */
  readonly target: number | undefined;
  readonly hold: Hold;
  /** The first guard knows the command now; with a problem: it does not. */
  readonly onTold: (problem?: string) => void;
  /** A guard has ended, and another guards the command now. */
  readonly onReplaced: () => void;
  /** Nothing guards the command any more. */
  readonly onUnguarded: (problem: string) => void;
}

/** Guards that replace each other while a command runs. */
export interface KeptGuard extends Disposable {
  watch(options: KeptGuardOptions): void;
}

/** A guard that ends so often has something against it that does not pass. */
const MOST_GUARDS = 5;

/** Guards a command until it is disposed: where the guard ends before that, another one takes its place. */
export function keepGuard(first: Guard): KeptGuard {
  let guard = first;
  let guards = 1;
  let isDisposed = false;
  const replace = async (options: KeptGuardOptions): Promise<void> => {
    guard[Symbol.dispose]();
    if (isDisposed) return;
    if (guards === MOST_GUARDS) return options.onUnguarded(`has ended ${guards} times`);
    guards += 1;
    const opened = await openGuard();
    if (typeof opened === 'string') return isDisposed ? undefined : options.onUnguarded(opened);
    guard = opened;
    if (isDisposed) return guard[Symbol.dispose]();
    const again = (): void => void replace(options);
    guard.watch(options.target, options.hold, {
      onTold: (problem) => {
        if (problem === undefined) options.onReplaced();
        else again();
      },
      onGone: again,
    });
  };
  return {
    watch: (options) => {
      const { target, hold, onTold } = options;
      guard.watch(target, hold, { onTold, onGone: () => void replace(options) });
    },
    [Symbol.dispose]: () => {
      isDisposed = true;
      guard[Symbol.dispose]();
    },
  };
}
