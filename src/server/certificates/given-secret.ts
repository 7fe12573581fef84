import { summaryOf } from '../../errors.ts';
import { policyRuleText } from '../../kube/policy-rule.ts';
import { FollowedSecret, type FollowedSecretOptions } from './followed-secret.ts';
import type { Given, GivenSource } from './given.ts';

const POLL_MS = 10_000;
const RULE = policyRuleText({ apiGroup: '', resource: 'secrets', verbs: ['get', 'list', 'watch'] });

/** Reads a certificate of a Secret that somebody else keeps, such as cert-manager: `tls.crt`, `tls.key` and `ca.crt`. */
export function givenSecret(options: FollowedSecretOptions): GivenSource {
  const { namespace, name } = options.place;
  const secret = new FollowedSecret(options);
  return {
    place: `Secret ${namespace}/${name}`,
    pollMs: POLL_MS,
    changes: (signal) => secret.follow(signal),
    end: () => secret.end(),
    read: async () => givenOf(secret),
  };
}

function givenOf({ seen, failure }: FollowedSecret): Given {
  switch (seen.type) {
    case 'unknown': {
      const why = failure === undefined ? 'it was not read yet' : `${summaryOf(failure)}; it needs the rule ${RULE}`;
      return { type: 'unreadable', problem: why };
    }
    case 'missing':
      return { type: 'unreadable', problem: 'there is no such Secret' };
    case 'found': {
      const { texts } = seen;
      // cert-manager writes an empty one where the issuer has none.
      const ca = texts.get('ca.crt');
      const [cert, key] = [texts.get('tls.crt') ?? '', texts.get('tls.key') ?? ''];
      return { type: 'given', cert, key, ca: ca?.trim() === '' ? undefined : ca };
    }
  }
}
