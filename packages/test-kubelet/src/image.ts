/** What an image name stands for on this machine. */
export interface Image {
  /** Folders with programs, put first on the PATH of its containers (after the container's own env PATH if any). */
  readonly programs: readonly string[];
  /** Used where the container has no `command`. */
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Host folders seen at these paths inside, read-only, such as { '/hooks': '<example>/hooks' }. */
  readonly files?: Readonly<Record<string, string>>;
}
