/**
 * The messages of the groups for authentication, authorization and flow control. `field.ts` documents the format of a
 * line.
 */
export const ACCESS = `
# authentication/v1
BoundObjectReference kind=1 apiVersion=2 name=3 uid=4
SelfSubjectReview metadata=1meta/v1.ObjectMeta status=2SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo=1UserInfo
TokenRequest metadata=1meta/v1.ObjectMeta spec=2!TokenRequestSpec status=3TokenRequestStatus
TokenRequestSpec audiences=1!* boundObjectRef=3+?BoundObjectReference expirationSeconds=4+?int64
TokenRequestStatus token=1! expirationTimestamp=2!time
TokenReview metadata=1meta/v1.ObjectMeta spec=2!TokenReviewSpec status=3TokenReviewStatus
TokenReviewSpec token=1 audiences=2*
TokenReviewStatus authenticated=1bool user=2UserInfo error=3 audiences=4*
UserInfo username=1 uid=2 groups=3* extra=4%items
# authorization/v1
FieldSelectorAttributes rawSelector=1 requirements=2*meta/v1.FieldSelectorRequirement
LabelSelectorAttributes rawSelector=1 requirements=2*meta/v1.LabelSelectorRequirement
LocalSubjectAccessReview metadata=1meta/v1.ObjectMeta spec=2!SubjectAccessReviewSpec status=3SubjectAccessReviewStatus
NonResourceAttributes path=1 verb=2
NonResourceRule verbs=1!* nonResourceURLs=2*
ResourceAttributes namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8?FieldSelectorAttributes labelSelector=9?LabelSelectorAttributes
ResourceRule verbs=1!* apiGroups=2* resources=3* resourceNames=4*
SelfSubjectAccessReview metadata=1meta/v1.ObjectMeta spec=2!SelfSubjectAccessReviewSpec status=3SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes=1?ResourceAttributes nonResourceAttributes=2?NonResourceAttributes
SelfSubjectRulesReview metadata=1meta/v1.ObjectMeta spec=2!SelfSubjectRulesReviewSpec status=3SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace=1
SubjectAccessReview metadata=1meta/v1.ObjectMeta spec=2!SubjectAccessReviewSpec status=3SubjectAccessReviewStatus
SubjectAccessReviewSpec resourceAttributes=1?ResourceAttributes nonResourceAttributes=2?NonResourceAttributes user=3 groups=4* extra=5%items uid=6
SubjectAccessReviewStatus allowed=1!bool reason=2 evaluationError=3 denied=4bool
SubjectRulesReviewStatus resourceRules=1!*ResourceRule nonResourceRules=2!*NonResourceRule incomplete=3!bool evaluationError=4
# certificates/v1
CertificateSigningRequest metadata=1meta/v1.ObjectMeta spec=2!CertificateSigningRequestSpec status=3CertificateSigningRequestStatus
CertificateSigningRequestCondition type=1! reason=2 message=3 lastUpdateTime=4time lastTransitionTime=5time status=6!
CertificateSigningRequestSpec request=1!bytes username=2 uid=3 groups=4* usages=5* extra=6%items signerName=7! expirationSeconds=8?int32
CertificateSigningRequestStatus conditions=1*CertificateSigningRequestCondition certificate=2bytes
# rbac/v1
AggregationRule clusterRoleSelectors=1*meta/v1.LabelSelector
ClusterRole metadata=1meta/v1.ObjectMeta rules=2+*PolicyRule aggregationRule=3?AggregationRule
ClusterRoleBinding metadata=1meta/v1.ObjectMeta subjects=2*Subject roleRef=3!RoleRef
PolicyRule verbs=1!* apiGroups=2* resources=3* resourceNames=4* nonResourceURLs=5*
Role metadata=1meta/v1.ObjectMeta rules=2+*PolicyRule
RoleBinding metadata=1meta/v1.ObjectMeta subjects=2*Subject roleRef=3!RoleRef
RoleRef apiGroup=1! kind=2! name=3!
Subject kind=1! apiGroup=2 name=3! namespace=4
# flowcontrol/v1
ExemptPriorityLevelConfiguration nominalConcurrencyShares=1?int32 lendablePercent=2?int32
FlowDistinguisherMethod type=1!
FlowSchema metadata=1meta/v1.ObjectMeta spec=2FlowSchemaSpec status=3FlowSchemaStatus
FlowSchemaCondition type=1 status=2 lastTransitionTime=3time reason=4 message=5
FlowSchemaSpec priorityLevelConfiguration=1!PriorityLevelConfigurationReference matchingPrecedence=2+int32 distinguisherMethod=3?FlowDistinguisherMethod rules=4*PolicyRulesWithSubjects
FlowSchemaStatus conditions=1*FlowSchemaCondition~merge:type
GroupSubject name=1!
LimitResponse type=1! queuing=2?QueuingConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares=1+?int32 limitResponse=2LimitResponse lendablePercent=3?int32 borrowingLimitPercent=4?int32
NonResourcePolicyRule verbs=1!* nonResourceURLs=6!*
PolicyRulesWithSubjects subjects=1!*Subject resourceRules=2*ResourcePolicyRule nonResourceRules=3*NonResourcePolicyRule
PriorityLevelConfiguration metadata=1meta/v1.ObjectMeta spec=2PriorityLevelConfigurationSpec status=3PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition type=1 status=2 lastTransitionTime=3time reason=4 message=5
PriorityLevelConfigurationReference name=1!
PriorityLevelConfigurationSpec type=1! limited=2?LimitedPriorityLevelConfiguration exempt=3?ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus conditions=1*PriorityLevelConfigurationCondition~merge:type
QueuingConfiguration queues=1+int32 handSize=2+int32 queueLengthLimit=3+int32
ResourcePolicyRule verbs=1!* apiGroups=2!* resources=3!* clusterScope=4bool namespaces=5+*
ServiceAccountSubject namespace=1! name=2!
Subject kind=1! user=2?UserSubject group=3?GroupSubject serviceAccount=4?ServiceAccountSubject
UserSubject name=1!
`;
