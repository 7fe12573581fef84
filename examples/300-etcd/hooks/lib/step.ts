/** What a run does: one deed, or nothing with the reason for it. */
export type Step = Deed | Wait | Refusal | { readonly do: 'rest' };

export interface Wait {
  readonly do: 'wait';
  readonly reason: string;
  readonly message: string;
}

export interface Refusal {
  readonly do: 'refuse';
  readonly reason: string;
  readonly message: string;
}

export type Deed =
  | { readonly do: 'found'; readonly member: string }
  | { readonly do: 'restore'; readonly member: string }
  | { readonly do: 'add'; readonly member: string }
  | { readonly do: 'promote'; readonly member: string; readonly id: string }
  | { readonly do: 'move-leader'; readonly member: string; readonly id: string; readonly from: string }
  | { readonly do: 'remove'; readonly member: string; readonly id: string; readonly why: string }
  | { readonly do: 'replace'; readonly member: string; readonly id: string; readonly why: string }
  | { readonly do: 'roll'; readonly member: string }
  | Certify
  | SpaceDeed;

/**
 * A certificate or an authority is made: one that signs, the next one, the next one signs from now on, or what a member
 * shows, or the client where the member is the cluster.
 */
export interface Certify {
  readonly do: 'certify';
  readonly what: 'authority' | 'next' | 'switch' | 'leaf';
  readonly member: string;
  readonly why: string;
}

/** What makes room, and what ends alarms. */
export type SpaceDeed =
  /** An attempt to end the alarm NOSPACE begins. */
  | { readonly do: 'recover'; readonly member: string; readonly attempt: number }
  | { readonly do: 'compact'; readonly member: string; readonly revision: number }
  | { readonly do: 'defragment'; readonly member: string; readonly id: string; readonly why: string }
  | { readonly do: 'disarm'; readonly member: string }
  /** The alarm CORRUPT of a member that is gone is lifted. */
  | { readonly do: 'lift'; readonly member: string; readonly id: string };

export function isDeed(step: Step): step is Deed {
  return 'member' in step;
}

export function isSpaceDeed(step: Deed): step is SpaceDeed {
  return ['recover', 'compact', 'defragment', 'disarm', 'lift'].includes(step.do);
}

export function wait(reason: string, message: string): Step {
  return { do: 'wait', reason, message };
}

export function refuse(reason: string, message: string): Step {
  return { do: 'refuse', reason, message };
}
