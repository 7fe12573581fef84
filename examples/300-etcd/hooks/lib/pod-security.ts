const USER = 65_532;

/** What Pod Security restricted asks of a Pod; the group may write to its volumes. */
export const podSecurity = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER,
    fsGroup: USER,
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

/** What it asks of a container. */
export const toolSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
