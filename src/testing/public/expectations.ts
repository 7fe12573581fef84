import type { ObjectName, SeenWrite, Happened } from './happened.ts';
import type { Manifest } from './world.ts';

export interface ExpectedRun {
  readonly hook: string;
  readonly outcome?: 'succeeded' | 'later' | 'failed' | 'replaced' | 'interrupted';
  readonly exit?: number;
  readonly attempt?: number;
  readonly queue?: string;
  readonly contexts?: readonly object[];
  /** A part of the error. */
  readonly message?: string;
  /** Parts of what it printed. */
  readonly output?: string | readonly string[];
  readonly next?: string;
}

export interface ExpectedWrite {
  readonly verb?: SeenWrite['verb'];
  readonly by?: SeenWrite['by'];
  readonly hook?: string;
  readonly object?: Partial<ObjectName>;
  readonly subresource?: string;
  readonly before?: object;
  readonly after?: object;
}

export interface ExpectedCall {
  readonly program: string;
  readonly args?: readonly string[];
  readonly exit?: number;
  readonly hook?: string;
  /** All that it read; line ends at the end do not count. */
  readonly stdin?: string;
}

export interface ExpectedEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  /** A part of the message. */
  readonly message?: string;
  readonly object?: Partial<ObjectName>;
}

export interface ExpectedMetric {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: number;
}

/** The fields of `expect` in a scenario file: `runs`, `writes` and `calls` are all that there were, or a number. */
export interface Expectation {
  readonly runs?: number | readonly ExpectedRun[];
  readonly writes?: number | readonly ExpectedWrite[];
  readonly calls?: number | readonly ExpectedCall[];
  readonly objects?: readonly object[];
  readonly status?: readonly object[];
  readonly events?: readonly (ExpectedEvent & { readonly absent?: true })[];
  readonly metrics?: readonly (ExpectedMetric & { readonly absent?: true })[];
  readonly answer?: {
    readonly code?: number;
    readonly allowed?: boolean;
    readonly message?: string;
    readonly warnings?: readonly string[];
    readonly body?: unknown;
  };
  readonly log?: string | readonly string[];
}

/** Each throws an `AssertionError` with what differs and the end of the timeline. They compare as scenario files do. */
export declare function assertObject(of: Happened, expected: Manifest): Promise<void>;
/** One of the runs is such a run; without `outcome`, `exit`, `message` and `next` it has not failed. */
export declare function assertRun(of: Happened, expected: ExpectedRun): Promise<void>;
export declare function assertWritten(of: Happened, expected: ExpectedWrite): Promise<void>;
export declare function assertCalled(of: Happened, expected: ExpectedCall): Promise<void>;
export declare function assertEvent(of: Happened, expected: ExpectedEvent): Promise<void>;
export declare function assertMetric(of: Happened, expected: ExpectedMetric): Promise<void>;
/** All of it holds, as `expect` of a step does. */
export declare function assertMeets(of: Happened, expected: Expectation): Promise<void>;

/** The matchers for `interface Matchers<T> extends WorldMatchers` of vitest. */
export interface WorldMatchers<R = Promise<void>> {
  toHaveObject(expected: Manifest): R;
  toHaveRun(expected: ExpectedRun): R;
  toHaveWritten(expected: ExpectedWrite): R;
  toHaveCalled(expected: ExpectedCall): R;
  toHaveEvent(expected: ExpectedEvent): R;
  toHaveMetric(expected: ExpectedMetric): R;
  toMeet(expected: Expectation): R;
}

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** For `expect.extend` of vitest. */
export declare const matchers: {
  readonly [Name in keyof WorldMatchers]: (received: unknown, expected: object) => Promise<MatcherResult>;
};
