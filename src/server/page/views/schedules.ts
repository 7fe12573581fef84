import type { ScheduleStatus } from '../../../hook/schedule-control.ts';
import { markup, pathTo, type Html } from '../html.ts';
import { actionLink, badge, empty, hookAndBinding, table, time } from '../parts.ts';
import type { View, ViewContext } from '../view.ts';

const LIMIT = 300;
const CLOCK_CHANGE_MS = 7 * 86_400_000;

/** The schedules: when they run next, and whether they succeed as often as they should. */
export const schedulesView: View = {
  path: '/schedules',
  title: 'Schedules',
  isListed: true,
  parameters: {},
  right: () => ({ verb: 'list', resource: 'hooks' }),
  render: async (context) => {
    const all = context.model.schedules.list();
    if (all.length === 0) return empty('No hook has a schedule.');
    const rows = all
      .slice(0, LIMIT)
      .map((status) => [
        hookAndBinding(status.hook, status.binding),
        markup`<code>${status.crontab}</code> <span class="sub">${status.timeZone ?? 'local time'}</span>`,
        markup`${status.isSuspended ? badge('suspended') : time(status.nextAtMs)}${clockNote(status)}`,
        markup`${time(status.lastSucceededAtMs)}${isLate(status, context.nowMs) && markup` ${badge('late', 'warn')}`}`,
        lastRun(status),
        status.missed,
        buttons(status, context),
      ]);
    const columns = [
      'Schedule',
      'Crontab',
      'Next',
      'Last success',
      'Last run',
      { title: 'Missed', isNumber: true },
      'Actions',
    ];
    return markup`${table('Schedules', columns, rows)}${all.length > LIMIT && empty(`and ${all.length - LIMIT} more`)}`;
  },
};

/** Whether the last run began after the last success, and that was more than two intervals ago. */
function isLate({ lastScheduledAtMs, lastSucceededAtMs, nextAtMs }: ScheduleStatus, nowMs: number): boolean {
  if (lastScheduledAtMs === undefined || nextAtMs === undefined || lastSucceededAtMs === undefined) return false;
  const intervalMs = nextAtMs - lastScheduledAtMs;
  return intervalMs > 0 && nowMs - lastSucceededAtMs > 2 * intervalMs;
}

function lastRun(status: ScheduleStatus): Html {
  const { outcome, hook } = status;
  if (outcome === undefined) return markup`<span class="none">–</span>`;
  return markup`<a href="${pathTo('/runs', { hook })}">${badge(outcome)}</a>${hold(status)}`;
}

function hold({ heldBy }: ScheduleStatus): Html | false {
  if (heldBy === undefined) return false;
  const until = heldBy.againAtMs === undefined ? '' : markup`, due ${time(heldBy.againAtMs)}`;
  return markup` <span class="sub">waits for ${heldBy.hook} in ${heldBy.queue}${until}</span>`;
}

/** That the clocks of the zone change before the next tick, within a week of it. */
function clockNote({ nextAtMs, timeZone }: ScheduleStatus): Html | false {
  if (nextAtMs === undefined || timeZone === undefined) return false;
  const before = offsetOf(nextAtMs - CLOCK_CHANGE_MS, timeZone);
  return before !== offsetOf(nextAtMs, timeZone) && markup` <span class="sub">its clocks change in that week</span>`;
}

function offsetOf(atMs: number, timeZone: string): string | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    return format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value;
  } catch {
    return undefined;
  }
}

function buttons({ hook, binding, isSuspended }: ScheduleStatus, { actions }: ViewContext): Html {
  const name = `${hook} ${binding}`;
  const change = isSuspended
    ? actions.has('resume') && actionLink('Resume', { do: 'unsuspend', hook, binding }, `Resume ${name}`)
    : actions.has('pause') && actionLink('Suspend', { do: 'suspend', hook, binding }, `Suspend ${name}`);
  const run = actions.has('trigger') && actionLink('Run now', { do: 'trigger', hook, binding }, `Run now: ${name}`);
  return markup`<span class="acts">${[run, change]}</span>`;
}
