import type { RunOutcomeName, RunRecord } from '../../../hook/run-record.ts';
import { objectText } from '../../../hook/run-record.ts';
import { markup, pathTo, type Html } from '../html.ts';
import { NUMBER, OBJECT, oneOf, TEXT, type ViewParameters } from '../parameters.ts';
import {
  badge,
  choice,
  duration,
  empty,
  errorOf,
  field,
  filterForm,
  hookAndBinding,
  objectLink,
  runLink,
  table,
  time,
} from '../parts.ts';
import type { View, ViewContext } from '../view.ts';

const LIMIT = 50;
/** How many records one page looks at. */
const EFFORT = 400;
const OUTCOMES: readonly RunOutcomeName[] = ['running', 'succeeded', 'later', 'failed', 'replaced', 'interrupted'];
const SPANS: Readonly<Record<string, number>> = { '15m': 900_000, '1h': 3_600_000, '6h': 21_600_000, '1d': 86_400_000 };

const PARAMETERS: ViewParameters = {
  hook: TEXT,
  object: OBJECT,
  outcome: oneOf(OUTCOMES),
  error: TEXT,
  within: oneOf(Object.keys(SPANS)),
  before: NUMBER,
};

/** The runs that are remembered, the newest first; each a row, never its contents. */
export const runsView: View = {
  path: '/runs',
  title: 'Runs',
  isListed: true,
  parameters: PARAMETERS,
  right: () => ({ verb: 'list', resource: 'runs' }),
  render: async (context) => {
    const { runs, more } = context.model.view.runs.list(queryOf(context));
    const { given } = context;
    const filters = ['hook', 'object', 'outcome', 'error', 'within'];
    const isFiltered = filters.some((name) => given(name) !== undefined);
    const form = filterForm(
      '/runs',
      [
        field('hook', 'Hook', given('hook')),
        field('object', 'Object', given('object'), 'namespace/name'),
        choice('outcome', 'Outcome', given('outcome'), OUTCOMES),
        field('error', 'Error contains', given('error')),
        choice('within', 'Within', given('within'), Object.keys(SPANS)),
      ],
      isFiltered,
    );
    const none = empty(
      isFiltered ? 'No run that is remembered matches, as far as was looked.' : 'No run is remembered yet.',
    );
    return markup`${form}${runs.length === 0 ? none : runTable('Runs', runs)}${older(context, runs, more)}`;
  },
};

function queryOf({ given, nowMs }: ViewContext): Parameters<ViewContext['model']['view']['runs']['list']>[0] {
  const [hook, object, error] = [given('hook'), given('object'), given('error')];
  const outcome = OUTCOMES.find((one) => one === given('outcome'));
  const span = given('within');
  const before = given('before');
  return {
    ...(hook !== undefined && { hook }),
    ...(object !== undefined && { object }),
    ...(error !== undefined && { error }),
    ...(outcome !== undefined && { outcome }),
    ...(span !== undefined && Object.hasOwn(SPANS, span) && { sinceMs: nowMs - (SPANS[span] ?? 0) }),
    ...(before !== undefined && { beforeMs: Number(before) }),
    limit: LIMIT,
    effort: EFFORT,
  };
}

/** The link to the runs before these. Runs of the same millisecond may be on both pages, so that none is left out. */
function older({ given }: ViewContext, runs: readonly RunRecord[], more: boolean): Html | false {
  const last = runs.at(-1);
  if (!more || last === undefined) return more && empty('There may be more: narrow the time or the hook.');
  const lastMs = Date.parse(last.started);
  const [first] = runs;
  const isOneMoment = first !== undefined && Date.parse(first.started) === lastMs;
  const query = Object.fromEntries(['hook', 'object', 'outcome', 'error', 'within'].map((name) => [name, given(name)]));
  return markup`<p class="more"><a href="${pathTo('/runs', { ...query, before: isOneMoment ? lastMs : lastMs + 1 })}">Older runs</a></p>`;
}

const COLUMNS = [
  'Run',
  'Hook',
  'Why',
  'Object',
  'Outcome',
  { title: 'Attempt', isNumber: true },
  'Queued',
  { title: 'Waited', isNumber: true },
  { title: 'Ran', isNumber: true },
  { title: 'Patches', isNumber: true },
];

/** Rows of runs. */
export function runTable(label: string, runs: readonly RunRecord[]): Html {
  const rows = runs.map((run) => [
    runLink(run.id),
    hookAndBinding(run.hook, run.binding),
    run.reason.slice(0, 80),
    objectsOf(run),
    markup`${badge(run.outcome)}${run.error !== undefined && markup` <span class="sub">${errorOf(run.hook, run.error).slice(0, 120)}</span>`}`,
    run.attempt,
    time(run.queued),
    duration(run.waitedMs),
    duration(run.durationMs),
    run.patches.length + (run.morePatches ?? 0),
  ]);
  return table(label, COLUMNS, rows);
}

function objectsOf({ objects, moreObjects = 0 }: RunRecord): Html {
  const [first] = objects;
  if (first === undefined) return markup`<span class="none">–</span>`;
  const others = objects.length - 1 + moreObjects;
  return markup`${objectLink(first.kind, objectText(first))}${others > 0 && markup` <span class="sub">+${others}</span>`}`;
}
