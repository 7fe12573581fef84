/** What runs on this machine for an image name. */
export interface Image {
  /**
   * Folders with programs, which come first in the PATH of its containers (after the container's own env PATH, if any).
   */
  readonly programs: readonly string[];
  /** Used if the container has no `command`. */
  readonly entrypoint?: readonly string[];
  /** The arguments where a container has neither `command` nor `args`; default none. */
  readonly cmd?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine that are mounted read-only at these paths, such as { '/hooks': '<example>/hooks' }. */
  readonly files?: Readonly<Record<string, string>>;
}
