import { HookOutputError } from '../../errors.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { shown, shownText } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';

/** What a hook answered in `CONVERSION_RESPONSE_PATH`. */
export type ConversionResponse =
  | { readonly type: 'objects'; readonly objects: readonly unknown[] }
  /** The hook says that it cannot convert. */
  | { readonly type: 'failed'; readonly message: string };

const MAX_MESSAGE = 4096;
const FILE = 'CONVERSION_RESPONSE_PATH';

/** Reads the response file: one JSON object with `convertedObjects` or `failedMessage`. Throws `HookOutputError`. */
export function readConversionResponse(text: string): ConversionResponse {
  if (text.trim() === '') throw unreadable(`it wrote nothing to ${FILE}, expected {"convertedObjects": […]}`);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    // The message of the parser would show callers what the hook wrote.
    throw unreadable(`${FILE} cannot be read as JSON`);
  }
  if (!isObject(value)) throw unexpected(FILE, value, 'expected an object with convertedObjects');
  const { convertedObjects, failedMessage } = value;
  if (typeof failedMessage === 'string' && failedMessage !== '')
    return { type: 'failed', message: shownText(failedMessage, MAX_MESSAGE) };
  if (Array.isArray(convertedObjects)) return { type: 'objects', objects: convertedObjects };
  if (convertedObjects === undefined)
    throw unreadable(`${FILE}: convertedObjects is missing, expected a list of objects`);
  throw unexpected(`${FILE}.convertedObjects`, convertedObjects, 'expected a list of objects');
}

/** Callers do not see the value, which may be of an object. */
function unexpected(where: string, value: unknown, expected: string): HookOutputError {
  return new HookOutputError(`${where}: got ${shown(value)}, ${expected}`, { brief: `${where}: ${expected}` });
}

function unreadable(message: string): HookOutputError {
  return new HookOutputError(shownText(message, MAX_MESSAGE));
}
