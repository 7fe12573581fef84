/**
 * How `hooklet dev` ends after Ctrl-C: a running hook may finish within the first limit, and gets SIGTERM then; SIGKILL
 * comes after the second. Webhooks are not drained, since no API server learns late of the end. Together they are a
 * third of the 2 s in which the process exits, so that the rest is left to a busy machine.
 */
export const DEV_ENDING = { gracePeriodMs: 300, killAfterMs: 300, webhookDrainMs: 0 } as const;
