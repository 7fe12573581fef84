/** The messages of the groups that extend the API. `field.ts` documents the format of a line. */
export const EXTENSION = `
# admissionregistration/v1
AuditAnnotation key=1! valueExpression=2!
ExpressionWarning fieldRef=2! warning=3!
MatchCondition name=1! expression=2!
MatchResources namespaceSelector=1?meta/v1.LabelSelector objectSelector=2?meta/v1.LabelSelector resourceRules=3*NamedRuleWithOperations excludeResourceRules=4*NamedRuleWithOperations matchPolicy=7?
MutatingWebhook name=1! clientConfig=2!WebhookClientConfig rules=3*RuleWithOperations failurePolicy=4? namespaceSelector=5?meta/v1.LabelSelector sideEffects=6!? timeoutSeconds=7?int32 admissionReviewVersions=8!* matchPolicy=9? reinvocationPolicy=10? objectSelector=11?meta/v1.LabelSelector matchConditions=12*MatchCondition~merge:name
MutatingWebhookConfiguration metadata=1meta/v1.ObjectMeta webhooks=2*MutatingWebhook~merge:name
NamedRuleWithOperations resourceNames=1* =2RuleWithOperations
ParamKind apiVersion=1 kind=2
ParamRef name=1 namespace=2 selector=3?meta/v1.LabelSelector parameterNotFoundAction=4?
Rule apiGroups=1* apiVersions=2* resources=3* scope=4?
RuleWithOperations operations=1* =2Rule
ServiceReference namespace=1! name=2! path=3? port=4?int32
TypeChecking expressionWarnings=1*ExpressionWarning
ValidatingAdmissionPolicy metadata=1meta/v1.ObjectMeta spec=2ValidatingAdmissionPolicySpec status=3ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding metadata=1meta/v1.ObjectMeta spec=2ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec policyName=1 paramRef=2?ParamRef matchResources=3?MatchResources validationActions=4*
ValidatingAdmissionPolicySpec paramKind=1?ParamKind matchConstraints=2?MatchResources validations=3*Validation failurePolicy=4? auditAnnotations=5*AuditAnnotation matchConditions=6*MatchCondition~merge:name variables=7*Variable~merge:name
ValidatingAdmissionPolicyStatus observedGeneration=1int64 typeChecking=2?TypeChecking conditions=3*meta/v1.Condition
ValidatingWebhook name=1! clientConfig=2!WebhookClientConfig rules=3*RuleWithOperations failurePolicy=4? namespaceSelector=5?meta/v1.LabelSelector sideEffects=6!? timeoutSeconds=7?int32 admissionReviewVersions=8!* matchPolicy=9? objectSelector=10?meta/v1.LabelSelector matchConditions=11*MatchCondition~merge:name
ValidatingWebhookConfiguration metadata=1meta/v1.ObjectMeta webhooks=2*ValidatingWebhook~merge:name
Validation expression=1! message=2 reason=3? messageExpression=4
Variable name=1! expression=2!
WebhookClientConfig service=1?ServiceReference caBundle=2bytes url=3?
# apiextensions/v1
CustomResourceColumnDefinition name=1! type=2! format=3 description=4 priority=5int32 jsonPath=6!
CustomResourceConversion strategy=1! webhook=2?WebhookConversion
CustomResourceDefinition metadata=1meta/v1.ObjectMeta spec=2!CustomResourceDefinitionSpec status=3CustomResourceDefinitionStatus
CustomResourceDefinitionCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5 observedGeneration=6int64
CustomResourceDefinitionNames plural=1! singular=2 shortNames=3* kind=4! listKind=5 categories=6*
CustomResourceDefinitionSpec group=1! names=3!CustomResourceDefinitionNames scope=4! versions=7!*CustomResourceDefinitionVersion conversion=9?CustomResourceConversion preserveUnknownFields=10bool
CustomResourceDefinitionStatus conditions=1+*CustomResourceDefinitionCondition acceptedNames=2+CustomResourceDefinitionNames storedVersions=3+* observedGeneration=4int64
CustomResourceDefinitionVersion name=1! served=2!bool storage=3!bool schema=4?CustomResourceValidation subresources=5?CustomResourceSubresources additionalPrinterColumns=6*CustomResourceColumnDefinition deprecated=7bool deprecationWarning=8? selectableFields=9*SelectableField
CustomResourceSubresourceScale specReplicasPath=1! statusReplicasPath=2! labelSelectorPath=3?
CustomResourceSubresources status=1?empty scale=2?CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema=1?JSONSchemaProps
ExternalDocumentation description=1 url=2
JSONSchemaProps id=1 $schema=2 $ref=3? description=4 type=5 format=6 title=7 default=8?json maximum=9?double exclusiveMaximum=10bool minimum=11?double exclusiveMinimum=12bool maxLength=13?int64 minLength=14?int64 pattern=15 maxItems=16?int64 minItems=17?int64 uniqueItems=18bool multipleOf=19?double enum=20*json maxProperties=21?int64 minProperties=22?int64 required=23* items=24?orArray allOf=25*JSONSchemaProps oneOf=26*JSONSchemaProps anyOf=27*JSONSchemaProps not=28?JSONSchemaProps properties=29%JSONSchemaProps additionalProperties=30?orBool patternProperties=31%JSONSchemaProps dependencies=32%orStrings additionalItems=33?orBool definitions=34%JSONSchemaProps externalDocs=35?ExternalDocumentation example=36?json nullable=37bool x-kubernetes-preserve-unknown-fields=38?bool x-kubernetes-embedded-resource=39bool x-kubernetes-int-or-string=40bool x-kubernetes-list-map-keys=41* x-kubernetes-list-type=42? x-kubernetes-map-type=43? x-kubernetes-validations=44*ValidationRule~merge:rule
SelectableField jsonPath=1!
ServiceReference namespace=1! name=2! path=3? port=4?int32
ValidationRule rule=1! message=2 messageExpression=3 reason=4? fieldPath=5 optionalOldSelf=6?bool
WebhookClientConfig service=1?ServiceReference caBundle=2bytes url=3?
WebhookConversion clientConfig=2?WebhookClientConfig conversionReviewVersions=3!*
# apiregistration/v1
APIService metadata=1meta/v1.ObjectMeta spec=2APIServiceSpec status=3APIServiceStatus
APIServiceCondition type=1! status=2! lastTransitionTime=3time reason=4 message=5
APIServiceSpec service=1?ServiceReference group=2 version=3 insecureSkipTLSVerify=4bool caBundle=5bytes groupPriorityMinimum=7!int32 versionPriority=8!int32
APIServiceStatus conditions=1*APIServiceCondition~merge:type
ServiceReference namespace=1 name=2 port=3?int32
`;
