/** The messages that all groups share. `field.ts` documents the format of a line. */
export const META = `
# meta/v1
Condition type=1! status=2! observedGeneration=3int64 lastTransitionTime=4!time reason=5! message=6!
DeleteOptions gracePeriodSeconds=1?int64 preconditions=2?Preconditions orphanDependents=3?bool propagationPolicy=4? dryRun=5* ignoreStoreReadErrorWithClusterBreakingPotential=6?bool
FieldSelectorRequirement key=1! operator=2! values=3*
LabelSelector matchLabels=1% matchExpressions=2*LabelSelectorRequirement
LabelSelectorRequirement key=1! operator=2! values=3*
ListMeta selfLink=1 resourceVersion=2 continue=3 remainingItemCount=4?int64
ManagedFieldsEntry manager=1 operation=2 apiVersion=3 time=4?time fieldsType=6 fieldsV1=7?fields subresource=8
ObjectMeta name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7int64 creationTimestamp=8time deletionTimestamp=9?time deletionGracePeriodSeconds=10?int64 labels=11% annotations=12% ownerReferences=13*OwnerReference~merge:uid finalizers=14*~merge managedFields=17*ManagedFieldsEntry
OwnerReference kind=1! name=3! uid=4! apiVersion=5! controller=6?bool blockOwnerDeletion=7?bool
Preconditions uid=1? resourceVersion=2?
Status metadata=1ListMeta status=2 message=3 reason=4 details=5?StatusDetails code=6int32
StatusCause reason=1 message=2 field=3
StatusDetails name=1 group=2 kind=3 causes=4*StatusCause retryAfterSeconds=5int32 uid=6
`;
