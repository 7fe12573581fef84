import { objectText, type RunLine, type RunNext, type RunPatch, type RunRecord } from '../../../hook/run-record.ts';
import { shellWord } from '../../../lib/shell-word.ts';
import { markup, longText, pathTo, type Html, type HtmlValue } from '../html.ts';
import { TEXT } from '../parameters.ts';
import {
  badge,
  bytes,
  duration,
  empty,
  errorOf,
  facts,
  hookAndBinding,
  objectLink,
  section,
  table,
  time,
} from '../parts.ts';
import { NO_PAYLOAD, type View, type ViewContext } from '../view.ts';
import { environment } from './environment.ts';
import { timeLeft } from './limits.ts';
import { recordedParts } from './recorded.ts';
import { runTable } from './runs.ts';

const MAX_LINES = 300;
const MAX_LINE = 2000;
const MAX_OUTPUT = 96 * 1024;
const MAX_ATTEMPTS = 10;
const NEW_LINE = '\n';

/** One run: what it was about, how it ended, what it printed and changed, and the other attempts. */
export const runView: View = {
  path: '/run',
  title: 'Run',
  isListed: false,
  parameters: { id: TEXT },
  right: () => ({ verb: 'get', resource: 'runs' }),
  render: async (context) => {
    const run = context.model.view.runs.find(context.given('id') ?? '');
    const error = run.error !== undefined && markup`<p class="error">${errorOf(run.hook, run.error)}</p>`;
    const head = markup`<p class="lead">${badge(run.outcome)} ${hookAndBinding(run.hook, run.binding)}: ${run.reason}</p>`;
    const shown = context.mayRead ? await payload(run, context) : empty(NO_PAYLOAD);
    return markup`${[head, error, summary(run, context), parts(run), shown, attempts(run, context), commands(run, context)]}`;
  },
};

function summary(run: RunRecord, { model, nowMs }: ViewContext): Html {
  return facts([
    ['Run', markup`<code>${run.id}</code>`],
    ['Attempt', run.attempt],
    ['Queue', run.queue === '' ? 'none: a caller waited' : run.queue],
    ['Queued', time(run.queued)],
    ['Started', markup`${time(run.started)} <span class="sub">after ${duration(run.waitedMs)}</span>`],
    ['Limit', run.outcome === 'running' && timeLeft(run, model.timeoutOf(run.hook), nowMs)],
    ['Ended', run.ended && time(run.ended)],
    ...costs(run),
    ['Failed', ending(run)],
    ['Then', run.next && then(run.next)],
    ['Request', run.request && `${run.request.user}: ${run.request.verdict ?? 'not answered'}`],
    ['Objects', run.objects.length > 0 && objectsOf(run)],
  ]);
}

type Fact = readonly [term: string, value: HtmlValue];

function costs({ durationMs, userCpuMs, systemCpuMs, maxRssBytes }: RunRecord): readonly Fact[] {
  return [
    ['Ran', durationMs !== undefined && duration(durationMs)],
    ['CPU', userCpuMs !== undefined && `${duration(userCpuMs)} user, ${duration(systemCpuMs)} system`],
    ['Memory', maxRssBytes !== undefined && bytes(maxRssBytes)],
  ];
}

function ending({ exitCode, signal, timedOut = false, failedBy, permanent = false }: RunRecord): string {
  return [
    exitCode !== undefined && `exit code ${exitCode}`,
    signal,
    timedOut && 'its timeout was over',
    failedBy !== undefined && `by the ${failedBy}`,
    permanent && 'permanent',
  ]
    .filter((text) => typeof text === 'string')
    .join(', ');
}

function then({ type, why, again }: RunNext): Html {
  return markup`${type}${why !== undefined && `: ${why}`}${again !== undefined && markup`, ${time(again)}`}`;
}

function objectsOf({ objects, moreObjects = 0 }: RunRecord): Html {
  const shown = objects
    .slice(0, 20)
    .map((one) => markup`<li>${one.event} ${one.kind} ${objectLink(one.kind, objectText(one))}</li>`);
  const hidden = objects.length - shown.length + moreObjects;
  return markup`<ul>${shown}${hidden > 0 && markup`<li>and ${hidden} more</li>`}</ul>`;
}

/** Contexts that ended otherwise than the run as a whole. */
function parts({ parts: all = [] }: RunRecord): Html | false {
  if (all.length === 0) return false;
  const rows = all.map(({ outcome, objects, error, next }) => [
    badge(outcome),
    objects.map(objectText).join(', '),
    error,
    markup`${next.type}${next.again !== undefined && markup`, ${time(next.again)}`}`,
  ]);
  return section('Parts', table('Parts', ['Outcome', 'Objects', 'Error', 'Then'], rows));
}

async function payload(run: RunRecord, { model, signal }: ViewContext): Promise<Html> {
  const { from, lines, ended } = await model.view.runs.logs(run.id, {
    after: Math.max(0, run.lines - MAX_LINES),
    signal,
  });
  const shown = lines.slice(-MAX_LINES);
  const first = from + lines.length - shown.length;
  const note = first > 0 ? `the last ${shown.length} of ${run.lines} lines` : undefined;
  const output =
    shown.length === 0 ? empty(ended ? 'It printed nothing.' : 'It has printed nothing so far.') : linesOf(shown);
  const warnings = run.warnings?.map((one) => markup`<li>${one}</li>`);
  const warned = warnings !== undefined && section('Warnings', markup`<ul>${warnings}</ul>`);
  const recorded = await recordedParts(run.id, model);
  return markup`${[patches(run), result(run), warned, section('Output', output, note), recorded, environment(run, model)]}`;
}

function linesOf(lines: readonly RunLine[]): Html {
  let left = MAX_OUTPUT;
  const shown: Html[] = [];
  for (const { stream, line } of lines.toReversed()) {
    if (left <= 0) break;
    left -= Math.min(line.length, MAX_LINE);
    shown.push(markup`<span class="${stream}">${longText(line, MAX_LINE)}</span>${NEW_LINE}`);
  }
  return markup`<pre tabindex="0" role="region" aria-label="Output of the hook">${shown.toReversed()}</pre>`;
}

function patches({ patches: all, morePatches = 0 }: RunRecord): Html {
  if (all.length === 0) return section('Patches', empty('It changed nothing.'));
  const rows = all.map(({ operation, target, change }: RunPatch) => [operation, target, change]);
  return section(
    'Patches',
    table('Patches', ['Operation', 'Object', 'Effect'], rows),
    morePatches > 0 ? `and ${morePatches} more` : undefined,
  );
}

function result({ result: said, request }: RunRecord): Html | false {
  if (said === undefined && request?.message === undefined) return false;
  const { reason, message, output } = said ?? {};
  return section(
    'Result',
    facts([
      ['Reason', reason],
      ['Message', message],
      ['To the caller', request?.message],
      ['Output', output === undefined ? undefined : markup`<code>${longText(output, MAX_LINE)}</code>`],
    ]),
  );
}

/** The runs of the same hook about the same object. */
function attempts({ id, hook, objects }: RunRecord, { model }: ViewContext): Html | false {
  const [first] = objects;
  const object = first === undefined ? {} : { object: objectText(first) };
  const { runs } = model.view.runs.list({ hook, ...object, limit: MAX_ATTEMPTS, effort: 500 });
  const others = runs.filter((one) => one.id !== id);
  if (others.length === 0) return false;
  const all = markup`<a href="${pathTo('/runs', { hook, ...object })}">all</a>`;
  return section(
    first === undefined ? 'Other runs of the hook' : 'Other runs about the object',
    runTable('Other runs', others),
    all,
  );
}

function commands({ id, hook, objects }: RunRecord, { model }: ViewContext): Html {
  const [first] = objects;
  const lines = [`hooklet runs show ${shellWord(id)}`, `hooklet runs logs ${shellWord(id)}`];
  if (first !== undefined) lines.push(`hooklet why ${shellWord(hook)} ${shellWord(objectText(first))}`);
  if (model.view.recordings?.state(id).type === 'kept') {
    lines.push(`hooklet runs export ${shellWord(id)} -o run.json`, 'hooklet replay run.json --hooks hooks');
  }
  return section(
    'From a terminal',
    markup`<pre tabindex="0" role="region" aria-label="Commands">${lines.map((line) => markup`${line}${NEW_LINE}`)}</pre>`,
  );
}
