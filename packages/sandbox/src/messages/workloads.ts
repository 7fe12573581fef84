/** The messages of the groups for workloads. `field.ts` documents the format of a line. */
export const WORKLOADS = `
# apps/v1
ControllerRevision metadata=1meta/v1.ObjectMeta data=2raw revision=3!int64
DaemonSet metadata=1meta/v1.ObjectMeta spec=2DaemonSetSpec status=3DaemonSetStatus
DaemonSetCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5
DaemonSetSpec selector=1!?meta/v1.LabelSelector template=2!core/v1.PodTemplateSpec updateStrategy=3DaemonSetUpdateStrategy minReadySeconds=4int32 revisionHistoryLimit=6?int32
DaemonSetStatus currentNumberScheduled=1!int32 numberMisscheduled=2!int32 desiredNumberScheduled=3!int32 numberReady=4!int32 observedGeneration=5int64 updatedNumberScheduled=6int32 numberAvailable=7int32 numberUnavailable=8int32 collisionCount=9?int32 conditions=10*DaemonSetCondition~merge:type
DaemonSetUpdateStrategy type=1 rollingUpdate=2?RollingUpdateDaemonSet
Deployment metadata=1meta/v1.ObjectMeta spec=2DeploymentSpec status=3DeploymentStatus
DeploymentCondition type=1! status=2! reason=4 message=5 lastUpdateTime=6time lastTransitionTime=7time
DeploymentSpec replicas=1?int32 selector=2!?meta/v1.LabelSelector template=3!core/v1.PodTemplateSpec strategy=4DeploymentStrategy~retainKeys minReadySeconds=5int32 revisionHistoryLimit=6?int32 paused=7bool progressDeadlineSeconds=9?int32
DeploymentStatus observedGeneration=1int64 replicas=2int32 updatedReplicas=3int32 availableReplicas=4int32 unavailableReplicas=5int32 conditions=6*DeploymentCondition~merge:type readyReplicas=7int32 collisionCount=8?int32 terminatingReplicas=9?int32
DeploymentStrategy type=1 rollingUpdate=2?RollingUpdateDeployment
ReplicaSet metadata=1meta/v1.ObjectMeta spec=2ReplicaSetSpec status=3ReplicaSetStatus
ReplicaSetCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5
ReplicaSetSpec replicas=1?int32 selector=2!?meta/v1.LabelSelector template=3core/v1.PodTemplateSpec minReadySeconds=4int32
ReplicaSetStatus replicas=1!int32 fullyLabeledReplicas=2int32 observedGeneration=3int64 readyReplicas=4int32 availableReplicas=5int32 conditions=6*ReplicaSetCondition~merge:type terminatingReplicas=7?int32
RollingUpdateDaemonSet maxUnavailable=1?intOrString maxSurge=2?intOrString
RollingUpdateDeployment maxUnavailable=1?intOrString maxSurge=2?intOrString
RollingUpdateStatefulSetStrategy partition=1?int32 maxUnavailable=2?intOrString
StatefulSet metadata=1meta/v1.ObjectMeta spec=2StatefulSetSpec status=3StatefulSetStatus
StatefulSetCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5
StatefulSetOrdinals start=1+int32
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=1 whenScaled=2
StatefulSetSpec replicas=1?int32 selector=2!?meta/v1.LabelSelector template=3!core/v1.PodTemplateSpec volumeClaimTemplates=4*core/v1.PersistentVolumeClaim serviceName=5+ podManagementPolicy=6 updateStrategy=7StatefulSetUpdateStrategy revisionHistoryLimit=8?int32 minReadySeconds=9int32 persistentVolumeClaimRetentionPolicy=10?StatefulSetPersistentVolumeClaimRetentionPolicy ordinals=11?StatefulSetOrdinals
StatefulSetStatus observedGeneration=1int64 replicas=2!int32 readyReplicas=3int32 currentReplicas=4int32 updatedReplicas=5int32 currentRevision=6 updateRevision=7 collisionCount=9?int32 conditions=10*StatefulSetCondition~merge:type availableReplicas=11+int32
StatefulSetUpdateStrategy type=1 rollingUpdate=2?RollingUpdateStatefulSetStrategy
# batch/v1
CronJob metadata=1meta/v1.ObjectMeta spec=2CronJobSpec status=3CronJobStatus
CronJobSpec schedule=1! startingDeadlineSeconds=2?int64 concurrencyPolicy=3 suspend=4?bool jobTemplate=5!JobTemplateSpec successfulJobsHistoryLimit=6?int32 failedJobsHistoryLimit=7?int32 timeZone=8?
CronJobStatus active=1*core/v1.ObjectReference lastScheduleTime=4?time lastSuccessfulTime=5?time
Job metadata=1meta/v1.ObjectMeta spec=2JobSpec status=3JobStatus
JobCondition type=1! status=2! lastProbeTime=3time lastTransitionTime=4time reason=5 message=6
JobSpec parallelism=1?int32 completions=2?int32 activeDeadlineSeconds=3?int64 selector=4?meta/v1.LabelSelector manualSelector=5?bool template=6!core/v1.PodTemplateSpec backoffLimit=7?int32 ttlSecondsAfterFinished=8?int32 completionMode=9? suspend=10?bool podFailurePolicy=11?PodFailurePolicy backoffLimitPerIndex=12?int32 maxFailedIndexes=13?int32 podReplacementPolicy=14? managedBy=15? successPolicy=16?SuccessPolicy
JobStatus conditions=1*JobCondition~merge:type startTime=2?time completionTime=3?time active=4int32 succeeded=5int32 failed=6int32 completedIndexes=7 uncountedTerminatedPods=8?UncountedTerminatedPods ready=9?int32 failedIndexes=10? terminating=11?int32
JobTemplateSpec metadata=1meta/v1.ObjectMeta spec=2JobSpec
PodFailurePolicy rules=1!*PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement containerName=1? operator=2! values=3!*int32
PodFailurePolicyOnPodConditionsPattern type=1! status=2+
PodFailurePolicyRule action=1! onExitCodes=2?PodFailurePolicyOnExitCodesRequirement onPodConditions=3*PodFailurePolicyOnPodConditionsPattern
SuccessPolicy rules=1!*SuccessPolicyRule
SuccessPolicyRule succeededIndexes=1? succeededCount=2?int32
UncountedTerminatedPods succeeded=1* failed=2*
# autoscaling/v1
CrossVersionObjectReference kind=1! name=2! apiVersion=3
HorizontalPodAutoscaler metadata=1meta/v1.ObjectMeta spec=2HorizontalPodAutoscalerSpec status=3HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec scaleTargetRef=1!CrossVersionObjectReference minReplicas=2?int32 maxReplicas=3!int32 targetCPUUtilizationPercentage=4?int32
HorizontalPodAutoscalerStatus observedGeneration=1?int64 lastScaleTime=2?time currentReplicas=3!int32 desiredReplicas=4!int32 currentCPUUtilizationPercentage=5?int32
Scale metadata=1meta/v1.ObjectMeta spec=2ScaleSpec status=3ScaleStatus
ScaleSpec replicas=1int32
ScaleStatus replicas=1!int32 selector=2
# autoscaling/v2
ContainerResourceMetricSource name=1! target=2!MetricTarget container=3!
ContainerResourceMetricStatus name=1! current=2!MetricValueStatus container=3!
CrossVersionObjectReference kind=1! name=2! apiVersion=3
ExternalMetricSource metric=1!MetricIdentifier target=2!MetricTarget
ExternalMetricStatus metric=1!MetricIdentifier current=2!MetricValueStatus
HPAScalingPolicy type=1! value=2!int32 periodSeconds=3!int32
HPAScalingRules selectPolicy=1? policies=2*HPAScalingPolicy stabilizationWindowSeconds=3?int32 tolerance=4?quantity
HorizontalPodAutoscaler metadata=1meta/v1.ObjectMeta spec=2HorizontalPodAutoscalerSpec status=3HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior scaleUp=1?HPAScalingRules scaleDown=2?HPAScalingRules
HorizontalPodAutoscalerCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5
HorizontalPodAutoscalerSpec scaleTargetRef=1!CrossVersionObjectReference minReplicas=2?int32 maxReplicas=3!int32 metrics=4*MetricSpec behavior=5?HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus observedGeneration=1?int64 lastScaleTime=2?time currentReplicas=3int32 desiredReplicas=4!int32 currentMetrics=5+*MetricStatus conditions=6*HorizontalPodAutoscalerCondition~merge:type
MetricIdentifier name=1! selector=2?meta/v1.LabelSelector
MetricSpec type=1! object=2?ObjectMetricSource pods=3?PodsMetricSource resource=4?ResourceMetricSource external=5?ExternalMetricSource containerResource=7?ContainerResourceMetricSource
MetricStatus type=1! object=2?ObjectMetricStatus pods=3?PodsMetricStatus resource=4?ResourceMetricStatus external=5?ExternalMetricStatus containerResource=7?ContainerResourceMetricStatus
MetricTarget type=1! value=2?quantity averageValue=3?quantity averageUtilization=4?int32
MetricValueStatus value=1?quantity averageValue=2?quantity averageUtilization=3?int32
ObjectMetricSource describedObject=1!CrossVersionObjectReference target=2!MetricTarget metric=3!MetricIdentifier
ObjectMetricStatus metric=1!MetricIdentifier current=2!MetricValueStatus describedObject=3!CrossVersionObjectReference
PodsMetricSource metric=1!MetricIdentifier target=2!MetricTarget
PodsMetricStatus metric=1!MetricIdentifier current=2!MetricValueStatus
ResourceMetricSource name=1! target=2!MetricTarget
ResourceMetricStatus name=1! current=2!MetricValueStatus
# policy/v1
Eviction metadata=1meta/v1.ObjectMeta deleteOptions=2?meta/v1.DeleteOptions
PodDisruptionBudget metadata=1meta/v1.ObjectMeta spec=2PodDisruptionBudgetSpec status=3PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable=1?intOrString selector=2?meta/v1.LabelSelector~replace maxUnavailable=3?intOrString unhealthyPodEvictionPolicy=4?
PodDisruptionBudgetStatus observedGeneration=1int64 disruptedPods=2%time disruptionsAllowed=3!int32 currentHealthy=4!int32 desiredHealthy=5!int32 expectedPods=6!int32 conditions=7*meta/v1.Condition~merge:type
`;
