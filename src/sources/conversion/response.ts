import { isObject } from '../../hook/config-reader.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { shown, shownText } from '../../lib/shown.ts';

/** What a hook wrote to `CONVERSION_RESPONSE_PATH`. */
export type ConversionResponse =
  | { readonly type: 'objects'; readonly objects: readonly unknown[] }
  /** The hook says that it cannot convert, or wrote what is no response. */
  | { readonly type: 'failed'; readonly message: string };

const MAX_MESSAGE = 4096;
const FILE = 'CONVERSION_RESPONSE_PATH';

/** Reads the response file: one JSON object with `convertedObjects` or `failedMessage`. */
export function readConversionResponse(text: string): ConversionResponse {
  if (text.trim() === '') return failed(`it wrote nothing to ${FILE}, expected {"convertedObjects": […]}`);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    // The message of the parser would show callers what the hook wrote.
    return failed(`${FILE} cannot be read as JSON`);
  }
  if (!isObject(value)) return failed(`${FILE}: got ${shown(value)}, expected an object with convertedObjects`);
  const { convertedObjects, failedMessage } = value;
  if (typeof failedMessage === 'string' && failedMessage !== '') return failed(failedMessage);
  if (Array.isArray(convertedObjects)) return { type: 'objects', objects: convertedObjects };
  return failed(`${FILE}.convertedObjects: got ${shown(convertedObjects)}, expected a list of objects`);
}

function failed(message: string): ConversionResponse {
  return { type: 'failed', message: shownText(message, MAX_MESSAGE) };
}
