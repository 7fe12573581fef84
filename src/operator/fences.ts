import type { Fence } from '../lib/fence.ts';

/** Splits one fence among several callers; the earliest deadline applies, because a fence kills all hooks. */
export function shareFence(fence: Fence): () => Fence {
  const endsAtMs = new Map<Fence, number>();
  return () => {
    const own: Fence = (leftMs) => {
      const nowMs = performance.now();
      if (leftMs === undefined) endsAtMs.delete(own);
      else endsAtMs.set(own, nowMs + leftMs);
      if (endsAtMs.size === 0) fence();
      else fence(Math.max(0, Math.min(...endsAtMs.values()) - nowMs));
    };
    return own;
  };
}
