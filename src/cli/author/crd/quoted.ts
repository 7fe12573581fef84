/** A text as a literal: in single quotes where nothing in it needs an escape. */
export function quoted(text: string): string {
  const json = JSON.stringify(text);
  return /['\\]/.test(json) || json.slice(1, -1).includes('"') ? json : `'${json.slice(1, -1)}'`;
}
