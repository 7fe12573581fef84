import { DEFAULT_PLACE } from '../../operator/dead-letters/dead-letter-place.ts';
import type { HookletFeatures } from '../../rights/hooklet-needs.ts';
import { startOptions } from '../options/options.ts';
import type { Options } from '../options/resolve.ts';

const { leaderElect, leaseName, scheduleState, deadLetters, pauseByNamespace } = startOptions;
const { isSharded, shardsLeaseName } = startOptions;
const { webhookCertificates, admissionConfigurationName, jobsServiceName } = startOptions;

/** The options of `start` that need rights. */
export const FEATURE_OPTIONS = {
  leaderElect,
  leaseName,
  isSharded,
  shardsLeaseName,
  scheduleState,
  deadLetters,
  pauseByNamespace,
  webhookCertificates,
  admissionConfigurationName,
  jobsServiceName,
} as const;

// As the operator does without the option; its module is heavy.
const SCHEDULES = { type: 'configMap', name: 'hooklet-schedules', isForced: false } as const;

/** What is switched on by these options. */
export function featuresOf(options: Options<typeof FEATURE_OPTIONS>, namespace: string): HookletFeatures {
  const { admissionConfigurationName: installation, webhookCertificates: certificates } = options;
  const { scheduleState: schedules = SCHEDULES, deadLetters: letters = DEFAULT_PLACE } = options;
  const certificate =
    certificates.type === 'files'
      ? undefined
      : certificates.type === 'secret'
        ? { name: certificates.name, isSelfMade: false }
        : { name: `${installation}-webhook-certs`, isSelfMade: true };
  return {
    namespace,
    ...(options.leaderElect && { lease: options.leaseName }),
    ...(options.isSharded && { shards: options.shardsLeaseName }),
    ...(schedules.type === 'configMap' && { scheduleState: schedules }),
    ...(letters.type === 'configMap' && { deadLetters: letters }),
    pauseByNamespace: options.pauseByNamespace,
    webhookConfiguration: `${installation}-hooks`,
    ...(certificate && { certificate }),
    jobsCertificate: `${options.jobsServiceName}-certs`,
  };
}
