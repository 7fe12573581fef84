/**
 * Sets a deadline: all running hooks are killed unless it is called again within `leftMs`, even where this process
 * stands still. Without `leftMs`, removes the deadline.
 */
export type Fence = (leftMs?: number) => void;
