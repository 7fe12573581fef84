import type { JobDesk } from '../../hook/job-desk.ts';
import type { DeskAnswer } from '../../hook/remote-run.ts';
import type { WorkDesk } from '../../hook/work-desk.ts';

/** A desk of Jobs that may be opened later: until then Pods are to ask again. */
export function lateJobDesk(desk: () => JobDesk | undefined): JobDesk {
  const none = notYet('Jobs');
  return {
    claim: async (...asked) => desk()?.claim(...asked) ?? none,
    contexts: (ticket) => desk()?.contexts(ticket) ?? none,
    output: (...asked) => desk()?.output(...asked) ?? none,
    result: (...asked) => desk()?.result(...asked) ?? none,
    fate: async (...asked) => desk()?.fate(...asked) ?? none,
  };
}

/** A desk of workers that may be opened later: until then they are to ask again. */
export function lateWorkDesk(desk: () => WorkDesk | undefined): WorkDesk {
  const none = notYet('workers');
  return {
    hello: (...asked) => desk()?.hello(...asked) ?? none,
    beat: (...asked) => desk()?.beat(...asked) ?? none,
    ends: async (...asked) => desk()?.ends(...asked) ?? none,
    claim: async (...asked) => desk()?.claim(...asked) ?? none,
    holds: (ticket) => desk()?.holds(ticket) ?? none,
    contexts: (ticket) => desk()?.contexts(ticket) ?? none,
    output: (...asked) => desk()?.output(...asked) ?? none,
    result: (...asked) => desk()?.result(...asked) ?? none,
    leave: (ticket) => desk()?.leave(ticket) ?? none,
  };
}

function notYet(whom: string): DeskAnswer<never> {
  return { type: 'refused', status: 503, message: `this replica has not begun to have runs executed by ${whom}` };
}
