import { sleep } from '../../../src/lib/sleep.ts';
import type { StageProxy } from './proxy.ts';
import type { ConnectionFault, Stage } from './stages.ts';

/** One fault at one stage. */
export interface StageStrike {
  readonly stage: Stage;
  readonly fault: ConnectionFault;
  /** How long every connection gets the fault; 0: one connection does. */
  readonly stormMs: number;
}

/** Whether connections that were struck stay as they are after the end of the fault, so that it has to be noticed. */
export function staysOpen({ fault, stormMs }: StageStrike): boolean {
  return fault === 'silence' || (fault === 'slow' && stormMs === 0);
}

/** Resolves at the end of the fault. */
export async function strike(
  proxy: StageProxy,
  { stage, fault, stormMs }: StageStrike,
  signal: AbortSignal,
): Promise<void> {
  // The stages of a watch that is open come by themselves.
  const isOpening = stage !== 'body' && stage !== 'idle' && stage !== 'goaway';
  if (stormMs === 0) {
    const struck = proxy.strikeNext(stage, fault, signal);
    if (isOpening) proxy.cut();
    await struck;
    return;
  }
  proxy.startStorm(stage, fault);
  if (isOpening) proxy.cut();
  await sleep(stormMs, signal);
  proxy.endStorm();
}
