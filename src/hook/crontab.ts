/** A parsed crontab; `source` is the text as written. */
export interface Crontab {
  readonly source: string;
}
