import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import { age } from './cells.ts';
import { CORE_PRINTERS } from './core-printers.ts';
import { customPrinter } from './custom-printer.ts';
import { NETWORK_PRINTERS } from './network-printers.ts';
import { OTHER_PRINTERS } from './other-printers.ts';
import { printer, type Printer } from './printer.ts';
import { STORAGE_PRINTERS } from './storage-printers.ts';
import { WORKLOAD_PRINTERS } from './workload-printers.ts';

const NAME_AND_AGE = printer('Name, Age', (object, now) => [nameOf(object), age(object, now)]);

const BUILT_IN: { readonly [collection: string]: Printer } = {
  ...CORE_PRINTERS,
  ...WORKLOAD_PRINTERS,
  ...NETWORK_PRINTERS,
  ...STORAGE_PRINTERS,
  ...OTHER_PRINTERS,
};

const custom = new WeakMap<readonly JsonObject[], Printer>();

/** The printer of a kind; it takes objects in the version in which they are stored. */
export function printerOf({ collection, custom: version }: ServedKind): Printer {
  if (version === undefined) return BUILT_IN[collection] ?? NAME_AND_AGE;
  const { printerColumns } = version;
  if (printerColumns.length === 0) return NAME_AND_AGE;
  const made = custom.get(printerColumns) ?? customPrinter(printerColumns);
  custom.set(printerColumns, made);
  return made;
}
