/** Signals every process of a group; does nothing when the group is gone. */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has no processes left.
  }
}

/** A group whose leader has exited. */
export interface WatchedGroup {
  /** Signals it, unless it was gone at a look: then its id may be that of another. */
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly look: () => void;
}

/** Watches a group that may outlive its leader; `kill` signals one. */
export function watchedGroup(pid: number, kill: typeof killGroup): WatchedGroup {
  let isGone = false;
  return {
    kill: (signal) => {
      if (!isGone) kill(pid, signal);
    },
    look: () => {
      isGone ||= !isGroupThere(pid);
    },
  };
}

/** Whether a group has processes. */
function isGroupThere(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    // EPERM: its processes belong to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
