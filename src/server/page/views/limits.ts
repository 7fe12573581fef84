import { markup, type Html } from '../html.ts';
import type { ContainerMemory } from '../model.ts';
import { badge, bytes, duration, time } from '../parts.ts';

/** A run that has used this share of its time is close to its limit. */
const CLOSE = 0.8;

/** How long a run that has not ended may take, and when it is ended by that. */
export function timeLeft(
  { started }: { readonly started: string },
  timeoutMs: number | undefined,
  nowMs: number,
): Html {
  if (timeoutMs === undefined) return markup`<span class="none">none</span>`;
  const startedMs = Date.parse(started);
  const used = (nowMs - startedMs) / timeoutMs;
  const state = used >= 1 ? badge('over', 'bad') : used >= CLOSE && badge('close', 'warn');
  return markup`${duration(timeoutMs)}, ends ${time(startedMs + timeoutMs)} ${state}`;
}

/** What the operator and its hooks use together, beside the limit of their container. */
export function memoryText(memory: ContainerMemory | undefined): string | undefined {
  if (memory === undefined) return undefined;
  return `with hooklet they use ${bytes(memory.usedBytes)} of ${bytes(memory.limitBytes)} memory`;
}
