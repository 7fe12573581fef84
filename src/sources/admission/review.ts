import type { RequestSubject } from '../../hook/trigger.ts';
import { text } from '../../kube/object.ts';
import { isJson, memberSpans, type JsonSpan } from '../../lib/json-scan.ts';
import { printableLine } from '../../lib/printable.ts';
import { shown, shownName } from '../../lib/shown.ts';

/** An AdmissionReview with a request, as the API server sent it. */
export interface Review {
  /** Repeated in the answer. */
  readonly apiVersion: string;
  readonly uid: string;
  readonly isDryRun: boolean;
  /** What the request is about, for the log. */
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace: string };
  /** The same for people, with who sent it. */
  readonly about: RequestSubject;
  /** The request as JSON text, with `object`, `oldObject` and `options`, null where there is none. */
  readonly request: string;
  /** Parses the object of the request; null where there is none. Parsed it may take twenty times the room of its text. */
  readonly object: () => unknown;
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
  if (!isJson(body)) return bad(INVALID);
  const review = { start: indexOfValue(body), end: body.length };
  if (!isObject(body, review)) return bad(`${INVALID}: expected an AdmissionReview`);
  const members = memberSpans(body, review, ['apiVersion', 'request']);
  const apiVersion = scalar(body, members.get('apiVersion')) ?? VERSIONS[0];
  if (!isVersion(apiVersion)) return bad(`${INVALID}: apiVersion ${shown(apiVersion)}, expected admission.k8s.io/v1`);
  return readRequest(body, apiVersion, members.get('request'));
}

function readRequest(body: Buffer, apiVersion: string, span: JsonSpan | undefined): Review | ReviewProblem {
  if (span === undefined || scalar(body, span) === null) return bad('Missing parameters: request');
  if (!isObject(body, span)) return bad(`${INVALID}: request is no object`);
  const members = memberSpans(body, span, MEMBERS);
  const uid = scalar(body, members.get('uid'));
  if (typeof uid !== 'string' || uid === '') return bad('Missing parameters: request.uid');
  const missing = ALWAYS.filter((name) => !members.has(name));
  const subject = subjectOf(body, members);
  return {
    apiVersion,
    uid,
    isDryRun: scalar(body, members.get('dryRun')) === true,
    subject,
    about: aboutOf(body, members, subject),
    request: requestText(body, span, missing),
    object: () => parsed(body, members.get('object')),
  };
}

function subjectOf(body: Buffer, members: ReadonlyMap<string, JsonSpan>): Review['subject'] {
  return {
    kind: textAt(body, inner(body, members.get('kind'), 'kind')),
    name: textAt(body, members.get('name')),
    namespace: textAt(body, members.get('namespace')),
  };
}

function aboutOf(
  body: Buffer,
  members: ReadonlyMap<string, JsonSpan>,
  { kind, namespace, name }: Review['subject'],
): RequestSubject {
  const user = textAt(body, inner(body, members.get('userInfo'), 'username'));
  const found = name === '' ? nameOf(body, members.get('object')) : name;
  return {
    operation: plainText(textAt(body, members.get('operation'))),
    kind: plainText(kind),
    namespace: plainText(namespace),
    name: plainText(found),
    user: plainText(user),
  };
}

function plainText(value: string): string {
  return shownName(printableLine(value), MAX_NAME);
}

/** The name in the object, which a request without a name may have. */
function nameOf(body: Buffer, object: JsonSpan | undefined): string {
  const metadata = inner(body, object, 'metadata');
  const name = textAt(body, inner(body, metadata, 'name'));
  if (name !== '') return name;
  const prefix = textAt(body, inner(body, metadata, 'generateName'));
  return prefix === '' ? '' : `${prefix}*`;
}

/** Where a member of the value at `span` is; undefined where the value is no object. */
function inner(body: Buffer, span: JsonSpan | undefined, member: string): JsonSpan | undefined {
  return span !== undefined && isObject(body, span) ? memberSpans(body, span, [member]).get(member) : undefined;
}

function textAt(body: Buffer, span: JsonSpan | undefined): string {
  return text(scalar(body, span)).slice(0, MAX_NAME);
}

const MAX_NAME = 253;
const INVALID = 'Invalid JSON payload';
/** The members that are there in every request, also where the sender left them out. */
const ALWAYS = ['object', 'oldObject', 'options'] as const;
const MEMBERS = ['uid', 'dryRun', 'kind', 'name', 'namespace', 'operation', 'userInfo', ...ALWAYS] as const;

function bad(message: string): ReviewProblem {
  return { status: 400, text: message };
}

function isVersion(apiVersion: unknown): apiVersion is string {
  return VERSIONS.includes(apiVersion);
}

/** As the bytes that came: parsed and written again, large numbers would be others. */
function requestText(body: Buffer, { start, end }: JsonSpan, missing: readonly string[]): string {
  const json = body.toString('utf8', start, end);
  if (missing.length === 0) return json;
  const added = missing.map((name) => `,"${name}":null`).join('');
  return `${json.slice(0, json.lastIndexOf('}')).trimEnd()}${added}}`;
}

function indexOfValue(body: Buffer): number {
  return body.findIndex((byte) => byte > SPACE);
}

const SPACE = 0x20;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

function isObject(body: Buffer, { start }: JsonSpan): boolean {
  return body[start] === OPEN_BRACE;
}

/** The value where it is no object and no list; an empty object in place of those. */
function scalar(body: Buffer, span: JsonSpan | undefined): unknown {
  const isContainer = span !== undefined && (isObject(body, span) || body[span.start] === OPEN_BRACKET);
  return isContainer ? {} : span && parsed(body, span);
}

function parsed(body: Buffer, span: JsonSpan | undefined): unknown {
  const value: unknown = span === undefined ? null : JSON.parse(body.toString('utf8', span.start, span.end));
  return value;
}
