import { Document, isMap, isNode, isSeq, type Node } from 'yaml';

/** A Kubernetes object. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object as YAML, each rule of a role with what is said of it as comments above; `remarks` is in their order. */
export function objectYaml(object: Fields, remarks: readonly (readonly string[])[] = []): string {
  const document = new Document(object, { aliasDuplicateObjects: false });
  const rules = isMap(document.contents) ? document.contents.get('rules', true) : undefined;
  for (const [index, rule] of (isSeq(rules) ? rules.items : []).entries()) {
    if (isNode(rule)) layOut(rule, remarks[index] ?? []);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** One line: names of hooks may have anything in them. */
export function commentLine(text: string): string {
  return `# ${text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')}`;
}

/** Lists of a rule are short, and are read in one line. */
function layOut(rule: Node, remarks: readonly string[]): void {
  if (remarks.length > 0) rule.commentBefore = remarks.map((line) => commentLine(line).slice(1)).join('\n');
  if (!isMap(rule)) return;
  for (const { value } of rule.items) if (isSeq(value)) value.flow = true;
}
