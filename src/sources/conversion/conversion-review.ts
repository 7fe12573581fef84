import { parseExactJson } from '../../lib/exact-json.ts';
import { isObject } from '../../lib/json-object.ts';
import type { ConversionRequest } from './convert.ts';
import type { Converted, ConvertedObject } from './converted.ts';

/** A ConversionReview of the API server, or what is answered to something else. */
export type ConversionReview =
  | { readonly type: 'review'; readonly apiVersion: string; readonly request: ConversionRequest }
  | { readonly type: 'refused'; readonly status: 400; readonly message: string };

const VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/** Reads the body of a request. */
export function readConversionReview(body: string): ConversionReview {
  const review = readBody(body);
  if (!isObject(review)) return refused('Invalid JSON payload');
  const { request, apiVersion = VERSIONS[0] } = review;
  if (!isObject(request)) return refused('Missing parameters: request');
  if (typeof apiVersion !== 'string' || !VERSIONS.includes(apiVersion)) {
    return refused(`apiVersion: expected one of ${VERSIONS.join(', ')}`);
  }
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !isObjects(objects)) {
    return refused('request: expected uid, desiredAPIVersion and a list of objects');
  }
  return { type: 'review', apiVersion, request: { uid, desiredAPIVersion, objects } };
}

function readBody(body: string): unknown {
  try {
    return parseExactJson(body);
  } catch {
    return undefined;
  }
}

function isObjects(value: unknown): value is readonly ConvertedObject[] {
  return Array.isArray(value) && value.every(isObject);
}

/** The answer to a review, as JSON text. */
export function conversionAnswer(apiVersion: string, uid: string, converted: Converted): string {
  const response =
    converted.type === 'converted'
      ? { uid, convertedObjects: converted.objects, result: { status: 'Success' } }
      : { uid, convertedObjects: [], result: { status: 'Failure', message: converted.message } };
  return JSON.stringify({ kind: 'ConversionReview', apiVersion, response });
}

function refused(message: string): ConversionReview {
  return { type: 'refused', status: 400, message };
}
