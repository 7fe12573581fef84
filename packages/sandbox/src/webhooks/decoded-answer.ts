import { textAt } from '../json-fields.ts';
import { isJsonObject } from '../json.ts';
import { jsonTypeOf } from '../patch/json-patch.ts';
import { callFailure, type Called } from './webhook-call.ts';

const GO_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Decodes the answer of a webhook; the messages are those of the API server. */
export function decodedAnswer(text: string, code: number, contentType: string): Called {
  if (text === '') {
    return callFailure(`0-length response with status code: ${code} and content type: ${contentType}`);
  }
  const value = parsed(text);
  if (value instanceof Error) return callFailure(`couldn't get version/kind; json parse error: ${value.message}`);
  if (isJsonObject(value)) return { type: 'answer', body: value };
  const problem = `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${GO_STRUCT}`;
  return callFailure(`couldn't get version/kind; json parse error: ${problem}`);
}

const KNOWN_VERSIONS = ['v1', 'v1beta1'];

/** Why an answer is not the review that was sent; undefined if it is. An answer without a kind passes. */
export function reviewProblem(answer: unknown, apiVersion: string, kind: string): string | undefined {
  const body = isJsonObject(answer) ? answer : {};
  const [givenVersion, givenKind] = [textAt(body, 'apiVersion'), textAt(body, 'kind')];
  const given = `${givenVersion} ${givenKind}`;
  if (given === ' ' || given === `${apiVersion} ${kind}`) return undefined;
  const [group = '', expected = ''] = apiVersion.split('/');
  const other = KNOWN_VERSIONS.find((version) => given === `${group}/${version} ${kind}`);
  if (other !== undefined) return `converting (${other}.${kind}) to (${expected}.${kind}): unknown conversion`;
  return `no kind "${givenKind}" is registered for version "${givenVersion}" in scheme "pkg/runtime/scheme.go:111"`;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    // Anything else is read as YAML there, in which a text is a string.
    if (!/^\s*[[{]/.test(text)) return text;
    return error instanceof Error && error.message.startsWith('Unexpected end')
      ? new Error('unexpected end of JSON input')
      : error;
  }
}
