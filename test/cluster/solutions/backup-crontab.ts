/** Half a year from now, on a day that every month has: backups are made only when they are triggered. */
export const NOT_NOW = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`;
