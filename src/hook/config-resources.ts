import { isObject, type JsonObject } from '../lib/json-object.ts';
import { quantityOf } from '../lib/quantity.ts';
import { shown } from '../lib/shown.ts';
import {
  inside,
  present,
  readFields,
  report,
  reportType,
  reportValue,
  type Place,
  type Read,
} from './config-reader.ts';

const QUANTITY = 'a quantity such as 500m, 2 or 4Gi';

const readQuantities: Read<JsonObject> = (value, place) => {
  if (!isObject(value)) return reportType(place, value, { type: 'object', expected: 'a mapping' });
  for (const [name, amount] of Object.entries(value)) {
    if (quantityOf(amount) === undefined) reportQuantity(amount, inside(place, name));
  }
  return value;
};

function reportQuantity(amount: unknown, place: Place): void {
  // `4GB` and `4gb` are what is most often written instead.
  const [, number, letter] = typeof amount === 'string' ? (/^(\d+)\s*([kmgtp])i?b$/i.exec(amount) ?? []) : [];
  const meant = letter === undefined ? '' : `, did you mean ${number}${letter.toUpperCase()}i?`;
  reportValue(place, amount, `${QUANTITY}${meant}`);
}

/** Reports quantities that Kubernetes cannot read, and a request above its limit. */
export function checkResources({ requests, limits }: Resources, place: Place): void {
  const [asked, most] = [
    readQuantities(requests ?? {}, inside(place, 'requests')),
    readQuantities(limits ?? {}, inside(place, 'limits')),
  ];
  for (const [name, amount] of Object.entries(asked ?? {})) {
    const limit = most?.[name];
    const [least, bound] = [quantityOf(amount), quantityOf(limit)];
    if (least === undefined || bound === undefined || least <= bound) continue;
    report(inside(inside(place, 'requests'), name), `got ${shown(amount)}, which is above its limit ${shown(limit)}`);
  }
}

interface Resources {
  readonly requests?: unknown;
  readonly limits?: unknown;
}

const readParts = readFields({ requests: (value) => value, limits: (value) => value }, { isNonEmpty: true });

/** `resources` of a container: its fields, each a mapping of quantities. */
export const readResources: Read<JsonObject> = (value, place) => {
  const fields: Resources = present(readParts(value, place));
  checkResources(fields, place);
  return Object.keys(fields).length === 0 ? undefined : { ...fields };
};
