import { memberRange } from '../../kube/watch/json-ranges.ts';
import { shown } from '../../lib/shown.ts';

/** An AdmissionReview with a request, as the API server sent it. */
export interface Review {
  /** Repeated in the answer. */
  readonly apiVersion: string;
  readonly uid: string;
  readonly isDryRun: boolean;
  /** The request as JSON text, with `object`, `oldObject` and `options`, null where there is none. */
  readonly request: string;
  /** The object of the request, parsed; null where there is none. */
  readonly object: unknown;
}

/** A body that is no AdmissionReview; the text is for the caller. */
export interface ReviewProblem {
  readonly status: 400 | 415;
  readonly text: string;
}

const VERSIONS: readonly unknown[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** Reads the body of a request. The texts of problems are those of shell-operator, and say more after a colon. */
export function readReview(body: Buffer, contentType: string | undefined): Review | ReviewProblem {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return { status: 415, text: `content type ${shown(contentType ?? '')}, expected application/json` };
  }
  const review = parse(body);
  if (review === NOT_JSON) return bad(INVALID);
  if (!isObject(review)) return bad(`${INVALID}: expected an AdmissionReview`);
  const { apiVersion = 'admission.k8s.io/v1', request = null } = review;
  if (!isVersion(apiVersion)) return bad(`${INVALID}: apiVersion ${shown(apiVersion)}, expected admission.k8s.io/v1`);
  return readRequest(body, apiVersion, request);
}

function readRequest(body: Buffer, apiVersion: string, request: unknown): Review | ReviewProblem {
  if (request === null) return bad('Missing parameters: request');
  if (!isObject(request)) return bad(`${INVALID}: request is no object`);
  const { uid, dryRun, object = null } = request;
  if (typeof uid !== 'string' || uid === '') return bad('Missing parameters: request.uid');
  return { apiVersion, uid, isDryRun: dryRun === true, request: requestText(body, request), object };
}

const NOT_JSON = Symbol('not JSON');
const INVALID = 'Invalid JSON payload';

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return NOT_JSON;
  }
}

function bad(text: string): ReviewProblem {
  return { status: 400, text };
}

function isVersion(apiVersion: unknown): apiVersion is string {
  return VERSIONS.includes(apiVersion);
}

type Fields = Readonly<Record<string, unknown>>;

/** The members that are there in every request, also where the sender left them out. */
const ALWAYS = ['object', 'oldObject', 'options'];

/** As the bytes that came: parsed and written again, large numbers would be others. */
function requestText(body: Buffer, request: Fields): string {
  const { start, end } = memberRange(body, 'request') ?? { start: 0, end: 0 };
  const text = body.toString('utf8', start, end);
  const missing = ALWAYS.filter((name) => request[name] === undefined).map((name) => `,"${name}":null`);
  return missing.length === 0 ? text : `${text.slice(0, text.lastIndexOf('}')).trimEnd()}${missing.join('')}}`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
