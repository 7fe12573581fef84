/** Half a year away on a day that every month has: a backup is made only when it is asked for. */
export const NOT_NOW = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`;
