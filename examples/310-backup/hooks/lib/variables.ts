/** A variable of a container. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

type Values = Readonly<Record<string, string | number | undefined>>;

/** A text that Kubernetes leaves as it is: it puts the value of a variable, such as a key, in the place of $(NAME). */
export function asWritten(text: string): string {
  return text.replaceAll('$', () => '$$');
}

/** Variables with values, those without one left out. */
export function given(values: Values): readonly Variable[] {
  const all = Object.entries(values);
  return all.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: asWritten(String(value)) }]));
}

/** A variable with the value of a key of a Secret. */
export function secret(variable: string, name: string, key: string, optional = false): Variable {
  return { name: variable, valueFrom: { secretKeyRef: { name, key, ...(optional && { optional }) } } };
}

/** A variable with the value of a field of the Pod. */
export function field(name: string, fieldPath: string): readonly Variable[] {
  return [{ name, valueFrom: { fieldRef: { fieldPath } } }];
}
