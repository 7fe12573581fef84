import { sleep } from '../../../src/lib/sleep.ts';
import type { StageProxy } from './proxy.ts';
import type { ConnectionFault, Stage } from './stages.ts';

/** One fault at one stage. */
export interface StageStrike {
  readonly stage: Stage;
  readonly fault: ConnectionFault;
  /** How long every connection is struck; 0 strikes a single connection. */
  readonly stormMs: number;
}

/** Whether struck connections stay silent or slow after the end of the fault, so that it must be detected. */
export function staysOpen({ fault, stormMs }: StageStrike): boolean {
  return fault === 'silence' || (fault === 'slow' && stormMs === 0);
}

/** Resolves at the end of the fault. */
export async function strike(
  proxy: StageProxy,
  { stage, fault, stormMs }: StageStrike,
  signal: AbortSignal,
): Promise<void> {
  // An open watch reaches its stages by itself.
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
