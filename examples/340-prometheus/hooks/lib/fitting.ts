import type { Judgment, LeftOut } from './culprits.ts';
import type { Item } from './items.ts';
import { type Configuration, pack } from './packing.ts';
import type { Prometheus } from './resources.ts';

/** What a Prometheus is to run with, checked as a whole; or what promtool says of it without any item. */
export type Fitted =
  | { readonly configuration: Configuration; readonly leftOut: readonly LeftOut[]; readonly refused?: undefined }
  | { readonly refused: string };

/** What the bad ones leave room for is judged in turn so often; the rest has its turn in the next run. */
const MAX_ROUNDS = 3;

/** Has only those items judged that have room, and gives the room of bad ones to others. */
export async function fitted(
  prometheus: Prometheus,
  items: readonly Item[],
  judge: (items: readonly Item[]) => Promise<Judgment>,
): Promise<Fitted> {
  const out: LeftOut[] = items.flatMap((item) =>
    item.problem === undefined ? [] : [{ item, reason: 'TooLarge', message: item.problem }],
  );
  for (let round = 1; ; round += 1) {
    const isOut = new Set(out.map(({ item }) => item));
    const { configuration, leftOut: withoutRoom } = pack(
      prometheus,
      items.filter((item) => !isOut.has(item)),
    );
    const { kept, leftOut, refused } = await judge(configuration.items);
    if (refused !== undefined) return { refused };
    if (leftOut.length === 0) return { configuration, leftOut: [...out, ...withoutRoom] };
    out.push(...leftOut);
    if (round === MAX_ROUNDS) {
      return { configuration: pack(prometheus, kept).configuration, leftOut: [...out, ...withoutRoom] };
    }
  }
}
