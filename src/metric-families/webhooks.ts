import type { MetricRegistry } from '../lib/metric-registry.ts';
import { SHORT_SECONDS } from './buckets.ts';

/** The metrics of requests whose callers wait, and of the certificates that they are answered with. */
export function webhookMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    admissionRequests: counter(
      'admission_requests_total',
      'Requests to admission webhooks, by result: allowed, denied, failed, refused, timeout or invalid.',
      ['hook', 'binding', 'result'],
    ),
    admissionSeconds: histogram(
      'admission_request_seconds',
      'Time from a request to an admission webhook until its answer.',
      ['hook', 'binding'],
      SHORT_SECONDS,
    ),
    webhookRegistered: gauge(
      'webhook_registered',
      'Whether an admission webhook is registered as its hook wants it (1) or not (0).',
      ['hook', 'binding'],
    ),
    conversionRequests: counter(
      'conversion_requests_total',
      'Requests to convert custom resources, by result: converted, failed, refused, timeout or invalid.',
      ['crd', 'result'],
    ),
    conversionSeconds: histogram(
      'conversion_request_seconds',
      'Time from a request to convert custom resources until its answer.',
      ['crd'],
      SHORT_SECONDS,
    ),
    conversionRegistered: gauge(
      'conversion_registered',
      'Whether a definition that a hook converts names this hooklet as its converter (1) or not (0).',
      ['crd'],
    ),
    certificateExpiry: gauge(
      'webhook_certificate_expiry_timestamp_seconds',
      'When the certificate that webhooks are served with expires (serving), and what makes it trusted (ca).',
      ['which'],
    ),
    certificateRotations: counter(
      'webhook_certificate_rotation_total',
      'Certificates of webhooks that were made or read anew, by result; a conflict means that another replica was first.',
      ['result'],
    ),
  };
}
