import { loadRow, type RowEntry } from './rows.ts';
import { openBench } from './stage.ts';
import type { Result } from './table.ts';

/** Measures one row, on a control plane that no other row has used. */
export async function measure(entry: RowEntry): Promise<readonly Result[]> {
  const row = await loadRow(entry);
  await using stage = await openBench();
  return (await row(stage)).map((one) => ({ row: entry.name, measure: one }));
}
