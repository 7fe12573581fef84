import { isObject } from '../lib/json-object.ts';
import { inside, readText, reportType, reportValue, type Place, type Read } from './config-reader.ts';
import { LABEL_KEY, LABEL_VALUE, LABEL_VALUE_TEXT } from './config-selector.ts';

type Texts = Readonly<Record<string, string>>;

/** The labels of an object. */
export const readLabels: Read<Texts> = (value, place) => readTexts(value, place, readLabelValue);

/** The annotations of an object. */
export const readAnnotations: Read<Texts> = (value, place) => readTexts(value, place, readText);

const readLabelValue: Read<string> = (value, place) =>
  typeof value === 'string' && LABEL_VALUE.test(value) ? value : reportValue(place, value, LABEL_VALUE_TEXT);

function readTexts(value: unknown, place: Place, read: Read<string>): Texts | undefined {
  if (!isObject(value)) return reportType(place, value, { type: 'object', expected: 'a mapping' });
  const texts = Object.entries(value).map(([key, text]): readonly [string, string | undefined] => {
    const entry = inside(place, key);
    if (!LABEL_KEY.test(key)) reportValue(entry, key, 'a key such as team or example.com/team');
    return [key, read(text, entry)];
  });
  return Object.fromEntries(texts.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])));
}
