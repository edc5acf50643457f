// Every built-in rule, by file name; each proves itself by its own examples.

import { aliAckPublicEndpoint } from "./ali-ack-public-endpoint.ts";
import { aliActiontrailOff } from "./ali-actiontrail-off.ts";
import { aliAdminPortOpen } from "./ali-admin-port-open.ts";
import { aliAllPortsOpen } from "./ali-all-ports-open.ts";
import { aliDbOpenWhitelist } from "./ali-db-open-whitelist.ts";
import { aliDiskUnencrypted } from "./ali-disk-unencrypted.ts";
import { aliEcsMetadataV1 } from "./ali-ecs-metadata-v1.ts";
import { aliHttpListener } from "./ali-http-listener.ts";
import { aliKmsNoRotation } from "./ali-kms-no-rotation.ts";
import { aliNoDeletionProtection } from "./ali-no-deletion-protection.ts";
import { aliOssNoVersioning } from "./ali-oss-no-versioning.ts";
import { aliOssPublic } from "./ali-oss-public.ts";
import { aliOssUnencrypted } from "./ali-oss-unencrypted.ts";
import { aliPolicyPublicPrincipal } from "./ali-policy-public-principal.ts";
import { aliRamFullAccess } from "./ali-ram-full-access.ts";
import { aliRdsUnencrypted } from "./ali-rds-unencrypted.ts";
import { awsAdminPortOpen } from "./aws-admin-port-open.ts";
import { awsAllPortsOpen } from "./aws-all-ports-open.ts";
import { awsCloudfrontHttp } from "./aws-cloudfront-http.ts";
import { awsCloudtrailNoValidation } from "./aws-cloudtrail-no-validation.ts";
import { awsCloudtrailOff } from "./aws-cloudtrail-off.ts";
import { awsDbPublic } from "./aws-db-public.ts";
import { awsDeletionPolicy } from "./aws-deletion-policy.ts";
import { awsDiskUnencrypted } from "./aws-disk-unencrypted.ts";
import { awsDynamodbNoCustomerKey } from "./aws-dynamodb-no-customer-key.ts";
import { awsDynamodbNoRecovery } from "./aws-dynamodb-no-recovery.ts";
import { awsEcrMutableTags } from "./aws-ecr-mutable-tags.ts";
import { awsEcrNoScan } from "./aws-ecr-no-scan.ts";
import { awsEcsLatestImage } from "./aws-ecs-latest-image.ts";
import { awsEcsPrivileged } from "./aws-ecs-privileged.ts";
import { awsEksNoLogs } from "./aws-eks-no-logs.ts";
import { awsEksNoSecretEncryption } from "./aws-eks-no-secret-encryption.ts";
import { awsEksPublicEndpoint } from "./aws-eks-public-endpoint.ts";
import { awsElasticacheUnencrypted } from "./aws-elasticache-unencrypted.ts";
import { awsHttpListener } from "./aws-http-listener.ts";
import { awsIamFullAccess } from "./aws-iam-full-access.ts";
import { awsIamRoleOpenTrust } from "./aws-iam-role-open-trust.ts";
import { awsIamServiceWildcard } from "./aws-iam-service-wildcard.ts";
import { awsImdsv1 } from "./aws-imdsv1.ts";
import { awsKinesisUnencrypted } from "./aws-kinesis-unencrypted.ts";
import { awsKmsNoRotation } from "./aws-kms-no-rotation.ts";
import { awsLambdaEnvSecret } from "./aws-lambda-env-secret.ts";
import { awsLambdaPublicUrl } from "./aws-lambda-public-url.ts";
import { awsLogRetention } from "./aws-log-retention.ts";
import { awsNoDeletionProtection } from "./aws-no-deletion-protection.ts";
import { awsOldTlsPolicy } from "./aws-old-tls-policy.ts";
import { awsPolicyPublicPrincipal } from "./aws-policy-public-principal.ts";
import { awsRdsNoBackups } from "./aws-rds-no-backups.ts";
import { awsRdsUnencrypted } from "./aws-rds-unencrypted.ts";
import { awsS3NoEncryption } from "./aws-s3-no-encryption.ts";
import { awsS3NoPublicAccessBlock } from "./aws-s3-no-public-access-block.ts";
import { awsS3NoVersioning } from "./aws-s3-no-versioning.ts";
import { awsS3PublicAccessBlockOff } from "./aws-s3-public-access-block-off.ts";
import { awsS3PublicAcl } from "./aws-s3-public-acl.ts";
import { awsSearchUnencrypted } from "./aws-search-unencrypted.ts";
import { awsTopicUnencrypted } from "./aws-topic-unencrypted.ts";
import { azAcrAdmin } from "./az-acr-admin.ts";
import { azAdminPortOpen } from "./az-admin-port-open.ts";
import { azAksNoRbac } from "./az-aks-no-rbac.ts";
import { azAllPortsOpen } from "./az-all-ports-open.ts";
import { azDbFirewallOpen } from "./az-db-firewall-open.ts";
import { azDbPublicNetwork } from "./az-db-public-network.ts";
import { azHttpAllowed } from "./az-http-allowed.ts";
import { azKeyVaultPurge } from "./az-key-vault-purge.ts";
import { azOldTls } from "./az-old-tls.ts";
import { azStoragePublic } from "./az-storage-public.ts";
import { azVmPasswordLogin } from "./az-vm-password-login.ts";
import { gcpAdminPortOpen } from "./gcp-admin-port-open.ts";
import { gcpAllPortsOpen } from "./gcp-all-ports-open.ts";
import { gcpBasicRole } from "./gcp-basic-role.ts";
import { gcpBucketFineGrained } from "./gcp-bucket-fine-grained.ts";
import { gcpDiskNoCustomerKey } from "./gcp-disk-no-customer-key.ts";
import { gcpGkeLegacyAccess } from "./gcp-gke-legacy-access.ts";
import { gcpGkeOpenEndpoint } from "./gcp-gke-open-endpoint.ts";
import { gcpIamPublic } from "./gcp-iam-public.ts";
import { gcpInstanceFullScope } from "./gcp-instance-full-scope.ts";
import { gcpKmsNoRotation } from "./gcp-kms-no-rotation.ts";
import { gcpNoDeletionProtection } from "./gcp-no-deletion-protection.ts";
import { gcpSqlNoBackups } from "./gcp-sql-no-backups.ts";
import { gcpSqlNoTls } from "./gcp-sql-no-tls.ts";
import { gcpSqlOpenNetwork } from "./gcp-sql-open-network.ts";
import { genInsecureModuleSource } from "./gen-insecure-module-source.ts";
import { genLocalBackend } from "./gen-local-backend.ts";
import { genLocalSecret } from "./gen-local-secret.ts";
import { genNoRequiredVersion } from "./gen-no-required-version.ts";
import { genNoTags } from "./gen-no-tags.ts";
import { genProvisioner } from "./gen-provisioner.ts";
import { genSecretArgument } from "./gen-secret-argument.ts";
import { genSecretShape } from "./gen-secret-shape.ts";
import { genSecretVariable } from "./gen-secret-variable.ts";
import { genUnpinnedModule } from "./gen-unpinned-module.ts";
import { genUnpinnedProvider } from "./gen-unpinned-provider.ts";
import { k8sCapabilities } from "./k8s-capabilities.ts";
import { k8sClusterAdmin } from "./k8s-cluster-admin.ts";
import { k8sEnvSecret } from "./k8s-env-secret.ts";
import { k8sHostNamespace } from "./k8s-host-namespace.ts";
import { k8sHostPath } from "./k8s-host-path.ts";
import { k8sHostPort } from "./k8s-host-port.ts";
import { k8sIngressNoTls } from "./k8s-ingress-no-tls.ts";
import { k8sLatestImage } from "./k8s-latest-image.ts";
import { k8sNoLimits } from "./k8s-no-limits.ts";
import { k8sNoProbes } from "./k8s-no-probes.ts";
import { k8sNoRequests } from "./k8s-no-requests.ts";
import { k8sOpenLoadBalancer } from "./k8s-open-load-balancer.ts";
import { k8sPrivilegeEscalation } from "./k8s-privilege-escalation.ts";
import { k8sPrivileged } from "./k8s-privileged.ts";
import { k8sRbacWildcard } from "./k8s-rbac-wildcard.ts";
import { k8sRoot } from "./k8s-root.ts";
import { k8sSecretInCode } from "./k8s-secret-in-code.ts";
import { k8sServiceToken } from "./k8s-service-token.ts";
import { k8sWritableRoot } from "./k8s-writable-root.ts";
import type { Rule } from "./rule.ts";

export const allRules: readonly Rule[] = [
  aliAckPublicEndpoint,
  aliActiontrailOff,
  aliAdminPortOpen,
  aliAllPortsOpen,
  aliDbOpenWhitelist,
  aliDiskUnencrypted,
  aliEcsMetadataV1,
  aliHttpListener,
  aliKmsNoRotation,
  aliNoDeletionProtection,
  aliOssNoVersioning,
  aliOssPublic,
  aliOssUnencrypted,
  aliPolicyPublicPrincipal,
  aliRamFullAccess,
  aliRdsUnencrypted,
  awsAdminPortOpen,
  awsAllPortsOpen,
  awsCloudfrontHttp,
  awsCloudtrailNoValidation,
  awsCloudtrailOff,
  awsDbPublic,
  awsDeletionPolicy,
  awsDiskUnencrypted,
  awsDynamodbNoCustomerKey,
  awsDynamodbNoRecovery,
  awsEcrMutableTags,
  awsEcrNoScan,
  awsEcsLatestImage,
  awsEcsPrivileged,
  awsEksNoLogs,
  awsEksNoSecretEncryption,
  awsEksPublicEndpoint,
  awsElasticacheUnencrypted,
  awsHttpListener,
  awsIamFullAccess,
  awsIamRoleOpenTrust,
  awsIamServiceWildcard,
  awsImdsv1,
  awsKinesisUnencrypted,
  awsKmsNoRotation,
  awsLambdaEnvSecret,
  awsLambdaPublicUrl,
  awsLogRetention,
  awsNoDeletionProtection,
  awsOldTlsPolicy,
  awsPolicyPublicPrincipal,
  awsRdsNoBackups,
  awsRdsUnencrypted,
  awsS3NoEncryption,
  awsS3NoPublicAccessBlock,
  awsS3NoVersioning,
  awsS3PublicAccessBlockOff,
  awsS3PublicAcl,
  awsSearchUnencrypted,
  awsTopicUnencrypted,
  azAcrAdmin,
  azAdminPortOpen,
  azAksNoRbac,
  azAllPortsOpen,
  azDbFirewallOpen,
  azDbPublicNetwork,
  azHttpAllowed,
  azKeyVaultPurge,
  azOldTls,
  azStoragePublic,
  azVmPasswordLogin,
  gcpAdminPortOpen,
  gcpAllPortsOpen,
  gcpBasicRole,
  gcpBucketFineGrained,
  gcpDiskNoCustomerKey,
  gcpGkeLegacyAccess,
  gcpGkeOpenEndpoint,
  gcpIamPublic,
  gcpInstanceFullScope,
  gcpKmsNoRotation,
  gcpNoDeletionProtection,
  gcpSqlNoBackups,
  gcpSqlNoTls,
  gcpSqlOpenNetwork,
  genInsecureModuleSource,
  genLocalBackend,
  genLocalSecret,
  genNoRequiredVersion,
  genNoTags,
  genProvisioner,
  genSecretArgument,
  genSecretShape,
  genSecretVariable,
  genUnpinnedModule,
  genUnpinnedProvider,
  k8sCapabilities,
  k8sClusterAdmin,
  k8sEnvSecret,
  k8sHostNamespace,
  k8sHostPath,
  k8sHostPort,
  k8sIngressNoTls,
  k8sLatestImage,
  k8sNoLimits,
  k8sNoProbes,
  k8sNoRequests,
  k8sOpenLoadBalancer,
  k8sPrivilegeEscalation,
  k8sPrivileged,
  k8sRbacWildcard,
  k8sRoot,
  k8sSecretInCode,
  k8sServiceToken,
  k8sWritableRoot,
];
