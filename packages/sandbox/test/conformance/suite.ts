import { connect } from './client.ts';
import { applyLaws } from './apply-laws.ts';
import { admissionLaws } from './admission-laws.ts';
import { admissionFailureLaws } from './admission-failure-laws.ts';
import { authenticationLaws } from './authentication-laws.ts';
import { conversionLaws } from './conversion-laws.ts';
import { customResourceLaws } from './custom-resource-laws.ts';
import { deletionLaws } from './deletion-laws.ts';
import { discoveryLaws } from './discovery-laws.ts';
import { dryRunLaws } from './dry-run-laws.ts';
import { listLaws } from './list-laws.ts';
import { namespaceLaws } from './namespace-laws.ts';
import { objectLaws } from './object-laws.ts';
import { patchLaws } from './patch-laws.ts';
import { podLaws } from './pod-laws.ts';
import { representationLaws } from './representation-laws.ts';
import { requestLaws } from './request-laws.ts';
import { statusApplyLaws } from './status-apply-laws.ts';
import { subresourceLaws } from './subresource-laws.ts';
import type { Bench, Target } from './target.ts';
import { freshName } from './target.ts';
import { updateLaws } from './update-laws.ts';
import { validationLaws } from './validation-laws.ts';
import { watchLaws } from './watch-laws.ts';
import { webhookConfigurationLaws } from './webhook-configuration-laws.ts';

/** Registers all laws about an API server as tests; `target` is asked for when they run. */
export function conformanceSuite(target: () => Target): void {
  const bench = (): Bench => {
    const server = target();
    const client = connect(server);
    return {
      client,
      target: server,
      namespace: async () => {
        const name = freshName('law');
        const { status, text } = await client.post('/api/v1/namespaces', { metadata: { name } });
        if (status !== 201) throw new Error(`cannot create namespace ${name}: ${status} ${text}`);
        return name;
      },
    };
  };
  objectLaws(bench);
  listLaws(bench);
  watchLaws(bench);
  patchLaws(bench);
  applyLaws(bench);
  deletionLaws(bench);
  namespaceLaws(bench);
  subresourceLaws(bench);
  statusApplyLaws(bench);
  podLaws(bench);
  validationLaws(bench);
  updateLaws(bench);
  representationLaws(bench);
  customResourceLaws(bench);
  dryRunLaws(bench);
  requestLaws(bench);
  discoveryLaws(bench);
  admissionLaws(bench);
  admissionFailureLaws(bench);
  webhookConfigurationLaws(bench);
  conversionLaws(bench);
  authenticationLaws(bench);
}
