import { KubeError } from '../../errors.ts';
import { isForbidden } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Registered } from './registered.ts';
import { registrationRequest, type RegistrationPlace } from './registration-request.ts';
import type { RegistrationStep } from './registration-step.ts';
import { writeWhole } from './write-whole.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** The steps that change something. */
export type TakenStep = Exclude<RegistrationStep, { readonly type: 'none' | 'foreign' }>;

export interface WriteAccess {
  readonly client: Pick<KubeClient, 'request'>;
  /** What the step was decided on. */
  readonly found: Registered | undefined;
  readonly signal: AbortSignal;
}

/**
 * Carries out a step, with the rights that there are; resolves to what is there now, where no watch tells it. Where the
 * API server refuses webhooks, the numbers in its error are those of the webhooks of the step.
 */
export async function writeStep(
  step: TakenStep,
  place: RegistrationPlace,
  { client, found, signal }: WriteAccess,
): Promise<JsonObject | undefined> {
  try {
    await client.request(registrationRequest(step, place), signal);
    return undefined;
  } catch (error) {
    if (step.type === 'delete') throw error;
    if (step.type === 'apply' && found !== undefined && isNamed(error)) {
      // What is applied is merged with the webhooks of others, which are counted too, unless the list is replaced.
      const { webhooks } = step;
      return writeStep({ type: 'replace', webhooks, found }, place, { client, found, signal });
    }
    if (!isForbidden(error)) throw error;
    // Manifests for shell-operator give no right to patch, nor to watch; the advice is about what is missing for that.
    return writeWhole(step, place, { client, signal }).catch((second: unknown) => {
      throw isForbidden(second) ? error : second;
    });
  }
}

function isNamed(error: unknown): boolean {
  return error instanceof KubeError && error.issues.some(({ path }) => path.startsWith('webhooks['));
}
