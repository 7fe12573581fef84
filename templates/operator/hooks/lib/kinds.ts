// Made by `hooklet types` from CustomResourceDefinitions: change those, and make it again.
import type { NewObjectMeta, ObjectMeta } from 'hooklet';

/** A page of text. */
export interface PageV1 {
  readonly apiVersion: 'example.com/v1';
  readonly kind: 'Page';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly title: string;
    /** What the page says; empty by default. */
    readonly text?: string;
  };
  readonly status?: {
    /** The generation of the Page that the status is about. */
    readonly observedGeneration?: number;
    /** How long the page is. */
    readonly characters?: number;
    readonly conditions?: ReadonlyArray<{
      readonly type: string;
      readonly status: 'True' | 'False' | 'Unknown';
      readonly reason?: string;
      readonly message?: string;
      readonly observedGeneration?: number;
      readonly lastTransitionTime?: string;
    }>;
  };
}

/** One that is to be created or applied. */
export type NewPageV1 = Omit<PageV1, 'metadata' | 'status'> & { readonly metadata: NewObjectMeta };
