import { namedNeeds, ownNeeds, type OwnNeed } from './own-needs.ts';

/** Where hooklet is, and the Secret with the certificate of the port where runs are asked for. */
export interface PortPlaces {
  readonly namespace: string;
  readonly jobsCertificate: string;
}

/** What hooklet needs for the port that `who` asks, such as `workers`: they ask by TLS, and show a token. */
export function portNeeds({ namespace, jobsCertificate }: PortPlaces, who: string): readonly OwnNeed[] {
  const secret = {
    group: '',
    resource: 'secrets',
    namespace,
    name: jobsCertificate,
    reason: `the certificate of the port that ${who} ask`,
  };
  const reviews = { group: 'authentication.k8s.io', resource: 'tokenreviews', namespace: '' };
  return [
    ...namedNeeds(secret, ['get', 'list', 'watch', 'patch', 'create']),
    ...ownNeeds({ ...reviews, reason: `${who} show a token` }, ['create']),
  ];
}
