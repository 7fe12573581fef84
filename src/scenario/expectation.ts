/* What must hold when a step is over. Everything is compared as a subset (`expect/subset.ts`) unless it says otherwise. */

import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import type { RunEnded, Write } from './timeline.ts';
import type { ObjectName } from './world.ts';

export interface Expectation {
  /** All runs of this step: those of each hook in the order of their starts. A number: only how many. */
  readonly runs?: number | readonly ExpectedRun[];
  readonly objects?: readonly ExpectedObject[];
  /** All writes of this step that changed something, of hooks and of hooklet for them, in any order. A number: only how many. */
  readonly writes?: number | readonly ExpectedWrite[];
  /** All calls of stand-ins: those of each program in their order. A number: only how many. */
  readonly calls?: number | readonly ExpectedCall[];
  /** The status of objects: apiVersion, kind and metadata of the object, and beside them fields of its status. */
  readonly status?: readonly JsonObject[];
  /** Events that were written in this step. */
  readonly events?: readonly ExpectedEvent[];
  readonly metrics?: readonly ExpectedMetric[];
  /** What the last request of this step was answered. */
  readonly answer?: ExpectedAnswer;
  /** Texts that lines of the log must contain. */
  readonly log?: readonly string[];
}

/** Without `outcome`, `exit`, `message` and `next` the run must not have failed. */
export interface ExpectedRun {
  readonly hook: string;
  readonly outcome?: RunEnded['outcome'];
  readonly exit?: number;
  readonly attempt?: number;
  readonly queue?: string;
  /** All binding contexts, in order, as subsets. */
  readonly contexts?: readonly JsonObject[];
  /** A part of the error. */
  readonly message?: string;
  /** Parts of lines that the hook printed. */
  readonly output?: readonly string[];
  readonly next?: string;
}

/** The object as a subset, which is any number of objects but none. */
export interface ExpectedObject {
  readonly object: JsonObject;
  /** There must be none. */
  readonly absent?: true;
  /** There must be this many. */
  readonly count?: number;
}

export interface ExpectedWrite {
  readonly verb?: Write['verb'];
  readonly by?: 'hook' | 'hooklet';
  readonly hook?: string;
  readonly object?: Partial<ObjectName>;
  readonly subresource?: string;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

export interface ExpectedCall {
  readonly program: string;
  /** All arguments. */
  readonly args?: readonly string[];
  readonly exit?: number;
  readonly hook?: string;
  /** All that it read, as its stand-in keeps it, line ends at the end left out. */
  readonly stdin?: string;
}

export interface ExpectedEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  /** A part of the message. */
  readonly message?: string;
  readonly object?: Partial<ObjectName>;
  readonly absent?: true;
}

export interface ExpectedMetric {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: number;
  readonly absent?: true;
}

export interface ExpectedAnswer {
  readonly code?: number;
  readonly allowed?: boolean;
  /** A part of the message. */
  readonly message?: string;
  /** All warnings, in their order, each as a part of its text. */
  readonly warnings?: readonly string[];
  readonly body?: JsonValue;
}
