/** The environment variables of the process, passed in. */
export type Environment = Readonly<Record<string, string | undefined>>;
