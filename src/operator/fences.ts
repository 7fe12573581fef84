/** Has all hooks killed that run unless it is called again within `leftMs`; without a time none is. */
export type Fence = (leftMs?: number) => void;

/** Makes fences of one, of which the first to fall counts, since it kills all that runs. */
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
