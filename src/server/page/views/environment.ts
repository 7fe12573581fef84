import type { RunRecord } from '../../../hook/run-record.ts';
import { markup, type Html } from '../html.ts';
import type { PageModel } from '../model.ts';
import { empty, runLink, section, table } from '../parts.ts';

const MAX_CHANGES = 100;

/** What differs in the environment of a run from that of the run of its hook before; false where that is not known. */
export function environment({ hook, started }: RunRecord, model: PageModel): Html | false {
  const startedMs = Date.parse(started);
  const [previous] = model.view.runs.list({ hook, beforeMs: startedMs, limit: 1 }).runs;
  const change = previous && model.environmentChange(Date.parse(previous.started), startedMs);
  if (previous === undefined || change === undefined) return false;
  const rows = change.changes
    .slice(0, MAX_CHANGES)
    .map(({ name, before, after }) => [markup`<code>${name}</code>`, hash(before), hash(after)]);
  const more = change.changes.length - rows.length;
  const list =
    rows.length === 0
      ? empty('Nothing differs but what each run has of its own.')
      : markup`${table('Environment', ['Variable', 'Before', 'Now'], rows)}${more > 0 && empty(`and ${more} more`)}`;
  const note = markup`beside run ${runLink(previous.id)}: hashes of values; ${change.same} variables are the same`;
  return section('Environment', list, note);
}

function hash(text: string | undefined): Html {
  return text === undefined ? markup`<span class="none">not there</span>` : markup`<code>${text}</code>`;
}
