import { describe, expect, it } from 'vitest';
import { readConversionResponse } from '../../../src/sources/conversion/response.ts';

describe('the response of a converter', () => {
  it.each([
    [{ convertedObjects: [{ n: 1 }] }, { type: 'objects', objects: [{ n: 1 }] }],
    [{ convertedObjects: [] }, { type: 'objects', objects: [] }],
    [{ failedMessage: 'too old' }, { type: 'failed', message: 'too old' }],
    [
      { failedMessage: 'too old', convertedObjects: [{}] },
      { type: 'failed', message: 'too old' },
    ],
    [
      { failedMessage: '', convertedObjects: [{}] },
      { type: 'objects', objects: [{}] },
    ],
    [
      { convertedObjects: [{}], more: 1 },
      { type: 'objects', objects: [{}] },
    ],
  ])('%j is %j', (response, expected) => {
    expect(readConversionResponse(` ${JSON.stringify(response)}\n`)).toEqual(expected);
  });

  it.each([
    ['', 'it wrote nothing to CONVERSION_RESPONSE_PATH, expected {"convertedObjects": […]}'],
    ['{', 'CONVERSION_RESPONSE_PATH cannot be read as JSON'],
    ['{"convertedObjects":[]} {"failedMessage":"no"}', 'CONVERSION_RESPONSE_PATH cannot be read as JSON'],
    ['{"convertedObjects":[]} done', 'CONVERSION_RESPONSE_PATH cannot be read as JSON'],
    ['[{}]', 'CONVERSION_RESPONSE_PATH: got [{}], expected an object with convertedObjects'],
    ['{}', 'CONVERSION_RESPONSE_PATH: convertedObjects is missing, expected a list of objects'],
    ['{"convertedObjects":{}}', 'CONVERSION_RESPONSE_PATH.convertedObjects: got {}, expected a list of objects'],
  ])('%j is no response: %s', (text, message) => {
    expect(() => readConversionResponse(text)).toThrow(message);
  });

  it.each([['S3CRET'], { convertedObjects: 'S3CRET' }])('%j is shown to callers without its value', (response) => {
    const brief = expect.stringMatching(/^CONVERSION_RESPONSE_PATH[\w.]*: expected an? (?!.*S3CRET)/);
    expect(() => readConversionResponse(JSON.stringify(response))).toThrow(expect.objectContaining({ brief }));
  });
});
