import { asJsonObject, text } from '../../kube/object.ts';
import { probeHttps } from '../../lib/https-probe.ts';
import type { RivalConverter } from '../../sources/conversion/rival.ts';

const LIMIT_MS = 5000;
const HTTPS_PORT = 443;

/**
 * Whether the converter of another installation answers where the API server calls it. From outside of a cluster a
 * Service cannot be called: not known is yes, so that a developer's machine does not take what production answers.
 */
export async function converterAnswers(
  { clientConfig, bundle }: RivalConverter,
  isInCluster: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const service = asJsonObject(clientConfig['service']);
  const isService = text(service['name']) !== '';
  if (isService && !isInCluster) return true;
  const port = typeof service['port'] === 'number' ? service['port'] : HTTPS_PORT;
  const host = `${text(service['name'])}.${text(service['namespace'])}.svc`;
  const url = isService ? `https://${host}:${port}${text(service['path'])}` : text(clientConfig['url']);
  const probe = await probeHttps(url, { ca: bundle, limitMs: LIMIT_MS, signal });
  // A hooklet without a hook that converts these objects answers 404.
  return probe.type === 'refused' || (probe.type === 'answered' && probe.status !== 404);
}
