import { present } from '../hook/config-reader.ts';
import type { DeadLetterStatus, LetterTrigger } from '../hook/dead-control.ts';
import type { PauseStatus } from '../hook/pause-control.ts';

/** A dead letter as the control socket returns it and `hooklet dead list -o json` prints it; times are RFC 3339. */
export interface DeadLetterDocument {
  readonly id: string;
  readonly hook: string;
  readonly hookIs: DeadLetterStatus['hookIs'];
  readonly binding: string;
  /** `event`, `reconcile`, `synchronization`, `schedule` or `onStartup`, with references. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly why: DeadLetterStatus['why'];
  readonly reason?: string;
  readonly message: string;
  readonly attempts: number;
  readonly first: string;
  readonly last: string;
  readonly runId: string;
  readonly fingerprint?: string;
}

/** Returns the document of a letter. */
export function letterDocument({ firstAtMs, lastAtMs, trigger, ...letter }: DeadLetterStatus): DeadLetterDocument {
  return { ...letter, trigger: triggerDocument(trigger), first: timeText(firstAtMs), last: timeText(lastAtMs) };
}

/** A pause as the control socket returns it and `hooklet pause -o json` prints it. */
export interface PauseDocument {
  readonly type: 'hook' | 'queue' | 'object' | 'namespace';
  readonly hook?: string;
  readonly queue?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly by: 'hand' | 'annotation';
  readonly since?: string;
  readonly held: number;
}

/** Returns the document of a pause. */
export function pauseDocument({ target, by, sinceMs, held }: PauseStatus): PauseDocument {
  return { ...target, by, ...present({ since: sinceMs === undefined ? undefined : timeText(sinceMs) }), held };
}

function triggerDocument(trigger: LetterTrigger): Readonly<Record<string, unknown>> {
  if (trigger.type !== 'schedule') return { ...trigger };
  const { scheduledAtMs, ...rest } = trigger;
  return { ...rest, scheduledAt: timeText(scheduledAtMs) };
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
