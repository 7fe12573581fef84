/** The limits and pauses of the program in the Pod of a Job. */
export interface AgentTimes {
  /** How long the first claim is tried. */
  readonly claimLimitMs: number;
  /** How long a claim by the Pod that has the run is tried while nobody knows the run, as after a change of the leader. */
  readonly unknownLimitMs: number;
  /** How long the result is tried, and whatever is asked while the hook runs. */
  readonly resultLimitMs: number;
  /** How long the end of the run is waited for after its result was taken. */
  readonly fateLimitMs: number;
  /** How long the result is tried once the Pod is to end and its hook has ended. */
  readonly stopLimitMs: number;
  /** The same of a sidecar. */
  readonly sidecarLimitMs: number;
  /** The pauses between attempts. */
  readonly retry: { readonly initialMs: number; readonly maxMs: number };
  /** How often it says what cannot be reached. */
  readonly sayEveryMs: number;
  readonly connectLimitMs: number;
  /** How long lines wait for others. */
  readonly batchMs: number;
  /** How often the operator hears from a Pod whose hook prints nothing, so that a new leader learns of it. */
  readonly beatMs: number;
}

export const AGENT_TIMES: AgentTimes = {
  claimLimitMs: 600_000,
  unknownLimitMs: 120_000,
  resultLimitMs: 3_600_000,
  fateLimitMs: 600_000,
  stopLimitMs: 20_000,
  sidecarLimitMs: 25_000,
  retry: { initialMs: 500, maxMs: 5000 },
  sayEveryMs: 10_000,
  connectLimitMs: 5000,
  batchMs: 200,
  beatMs: 10_000,
};
