import type { NewObject } from 'hooklet';

/** The container of a member: its image and its variables. */
export function containerOf(given: NewObject): {
  readonly image: string;
  readonly env: Readonly<Record<string, string>>;
} {
  const spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          { readonly image: string; readonly env: readonly { readonly name: string; readonly value: string }[] },
        ];
      };
    };
  } = JSON.parse(JSON.stringify(given.spec));
  const [{ image, env }] = spec.template.spec.containers;
  return { image, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
}
