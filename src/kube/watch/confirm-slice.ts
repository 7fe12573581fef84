import { malformed } from '../object.ts';
import type { Divisions } from './divisions.ts';
import { scanList } from './object-list.ts';
import type { Pages } from './paged-list.ts';
import { isUnsupported } from './unsupported.ts';

/** What the list of a slice asks before it asks the server for the slice. */
export interface Division {
  readonly divisions: Divisions;
  /** The name of its kind there. */
  readonly key: string;
  /** Called when the server does not divide the kind, or no longer; the list and the watch must then end. */
  readonly onDenied: () => void;
}

/** The pages of a list, perhaps of a slice. */
export interface SlicePages extends Pages {
  /** Undefined where no slice was asked for. */
  readonly division: Division | undefined;
}

/**
 * Lists one object of the slice if nobody has yet, to learn from the echo whether the server divides the kind, because
 * a streamed list has no echo. Throws when it does not. Does nothing where no slice is asked for.
 */
export async function confirmSlice(pages: SlicePages, signal: AbortSignal): Promise<void> {
  if (pages.division === undefined) return;
  const { divisions, key, onDenied } = pages.division;
  const ask = async (): Promise<boolean> => {
    try {
      return scanList(await pages.page({ limit: '1' }, signal)).shardSelector === pages.shardSelector;
    } catch (error) {
      if (isUnsupported(error)) return false;
      throw error;
    }
  };
  if (await divisions.isDivided(key, ask, signal)) return;
  onDenied();
  throw malformed('objects of all slices where those of one were asked for');
}
