import type { HealthCheck } from '../../server/health.ts';

/**
 * Returns the checks of `/readyz/webhooks`, which decides whether the Services of webhooks send requests to this
 * replica. A check that concerns some hooks alone counts until all have passed once: a rollout with a broken hook stops,
 * and a hook that breaks later does not take the webhooks of the others away.
 */
export function answeringReadiness(checks: () => readonly HealthCheck[]): () => readonly HealthCheck[] {
  let wasReady = false;
  return () => {
    const now = checks();
    wasReady ||= now.every(({ isOk }) => isOk);
    return wasReady ? now.map(tolerated) : now;
  };
}

function tolerated(check: HealthCheck): HealthCheck {
  const { isOk, isPartial = false } = check;
  return isOk || !isPartial ? check : { ...check, isOk: true, isTolerated: true };
}
