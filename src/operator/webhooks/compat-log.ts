import type { AskBinding } from '../../hook/ask-binding.ts';
import { webhookPath } from '../../hook/webhook-names.ts';
import { text } from '../../kube/object.ts';
import { shownText } from '../../lib/shown.ts';
import type { LogFields, Logger } from '../../log.ts';
import type { AdmissionEnded, Verdict } from '../../sources/admission/admission-endpoint.ts';
import type { Review } from '../../sources/admission/review.ts';
import type { ConversionStep } from '../../sources/conversion/chain.ts';
import type { ConversionRequest } from '../../sources/conversion/convert.ts';
import type { ConversionResponse } from '../../sources/conversion/response.ts';

/** Logs what happens to requests of webhooks, with the messages and fields of shell-operator. */
export interface CompatWebhookLog {
  reviewed(webhook: string, review: Review): void;
  /** What a hook answered. */
  judged(hook: string, binding: AskBinding, verdict: Extract<Verdict, { readonly type: 'answered' }>): void;
  /** A request was answered; of one without a review nothing is logged. */
  reviewEnded(ended: AdmissionEnded): void;
  conversionReviewed(crd: string, request: ConversionRequest): void;
  /** The chain from a version to the version asked for. */
  chained(request: ConversionRequest, from: string, chain: readonly ConversionStep[]): void;
  converted(step: ConversionStep, response: ConversionResponse): void;
  conversionFailed(crd: string, uid: string, message: string): void;
}

const ADMISSION = { logger: 'shell-operator.admission-webhook-manager' };
const CONVERSION = { logger: 'shell-operator.conversion-webhook-manager' };
/** What others sent may be as large as a request. */
const MAX_TEXT = 8192;
const MAX_ID = 64;
const MAX_VERSION = 256;
const MAX_VERSIONS = 20;
const CONVERSION_EVENT = 'kubernetesCustomResourceConversion';

/** Creates it. */
export function compatWebhookLog(log: Logger): CompatWebhookLog {
  return {
    reviewed: (webhook, { subject }) => {
      const [, configurationID, webhookID] = webhookPath(webhook).split('/', 3);
      log.info({ ...ADMISSION, configurationID, webhookID, ...subject }, 'Got AdmissionReview request');
    },
    judged: (hook, binding, verdict) => {
      log.info({ ...fieldsOf(hook, binding), value: admissionText(verdict) }, 'AdmissionResponse from hook');
    },
    reviewEnded: ({ review, noAnswer }) => {
      if (review === undefined || noAnswer === undefined) return;
      log.error({ ...ADMISSION, request: idOf(review.uid), ...review.subject, err: noAnswer }, 'validation failed');
    },
    conversionReviewed: (crd, { uid, objects }) => {
      log.info({ ...CONVERSION, crd }, 'serving ConversionReview request');
      const versions = new Set(objects.map(({ apiVersion }) => text(apiVersion).slice(0, MAX_VERSION)));
      const shown = [...versions].slice(0, MAX_VERSIONS);
      const fields = {
        binding: CONVERSION_EVENT,
        'event.id': idOf(uid),
        name: crd,
        len: objects.length,
        versions: shown,
      };
      log.info(fields, `Handle ${CONVERSION_EVENT} event for crd`);
    },
    chained: ({ uid, desiredAPIVersion }, from, chain) => {
      const name = `${from}->${desiredAPIVersion}`.slice(0, MAX_TEXT);
      const value = chain.map(({ rule: { fromVersion, toVersion } }) => ({ fromVersion, toVersion }));
      log.info({ binding: CONVERSION_EVENT, 'event.id': idOf(uid), name, value }, 'Find conversion path for rule');
    },
    converted: ({ hook, binding }, response) => {
      log.info({ ...fieldsOf(hook, binding), value: conversionText(response) }, 'ConversionResponse from hook');
    },
    conversionFailed: (crd, uid, message) => {
      const request = idOf(uid);
      const err = shownText(message, MAX_TEXT);
      log.error({ ...CONVERSION, crd, kind: 'ConversionReview', request, err }, 'conversion failed');
    },
  };
}

function fieldsOf(hook: string, { name, type }: AskBinding): LogFields {
  return { hook, binding: name, event: type, queue: '', task: 'HookRun' };
}

function idOf(uid: string): string {
  return uid.slice(0, MAX_ID);
}

function admissionText({ allowed, patch, message, warnings }: Extract<Verdict, { type: 'answered' }>): string {
  const parts = [
    `allowed=${allowed}`,
    ...(patch.length > 0 ? [`patch=${JSON.stringify(patch)}`] : []),
    ...(message === '' ? [] : [`msg=${message}`]),
    ...warnings.map((warning) => `warn=${warning}`),
  ];
  return shownText(`AdmissionResponse(${parts.join(',')})`, MAX_TEXT);
}

function conversionText(response: ConversionResponse): string {
  return response.type === 'failed'
    ? `conversion.Response(failedMessage=${response.message})`
    : `conversion.Response(convertedObjects.len=${response.objects.length})`;
}
