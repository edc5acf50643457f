// Which resource types hold data that is gone with them: databases, buckets, disks, keys, DNS zones, volumes, and what
// keeps all of those inside. From the providers' own documentation; a type that is not here counts as stateless.

type Kind = readonly [holds: string, types: readonly string[]];

/** Terraform types; a part of an entry in parentheses is a choice, `*` stands for any letters and underscores. */
const TERRAFORM: readonly Kind[] = [
  [
    "database",
    [
      "aws_(db_instance|rds_cluster|rds_global_cluster|dynamodb_table|docdb_cluster|neptune_cluster|redshift_cluster)",
      "aws_(docdbelastic_cluster|keyspaces_table|keyspaces_keyspace|memorydb_cluster|timestreamwrite_*|qldb_ledger)",
      "aws_(elasticache_cluster|elasticache_replication_group|opensearch_domain|elasticsearch_domain|lightsail_database)",
      "aws_(redshiftserverless_namespace|dsql_cluster|opensearchserverless_collection|simpledb_domain)",
      "alicloud_(db_instance|rds_*instance|polardb_cluster|mongodb_*instance|kvstore_instance|redis_tair_instance)",
      "alicloud_(ots_instance|ots_table|gpdb_instance|adb_*cluster|click_house_db_cluster|hbase_instance|db_database)",
      "alicloud_(elasticsearch_instance|lindorm_instance|graph_database_db_instance|drds_instance|polardb_database)",
      "azurerm_(mssql|sql|postgresql|mysql|mariadb)_(flexible_|)(server|database|managed_instance)",
      "azurerm_(cosmosdb_*|redis_cache|redis_enterprise_*|kusto_cluster|kusto_database|mssql_managed_*)",
      "google_(sql_database_instance|sql_database|spanner_*|bigtable_*|firestore_database|alloydb_cluster|redis_instance)",
      "google_(bigquery_dataset|bigquery_table|memorystore_instance|redis_cluster)",
      "(mysql|postgresql)_database|mongodbatlas_(cluster|advanced_cluster|flex_cluster)|digitalocean_database_cluster",
    ],
  ],
  [
    "bucket",
    [
      "aws_(s3_bucket|s3_directory_bucket|s3tables_table|s3tables_table_bucket|glacier_vault|lightsail_bucket)",
      "alicloud_oss_bucket|google_storage_bucket|digitalocean_spaces_bucket|cloudflare_r2_bucket|minio_s3_bucket",
      "azurerm_storage_(account|container|share|queue|table|data_lake_gen2_filesystem)",
    ],
  ],
  [
    "disk",
    [
      "aws_(ebs_volume|efs_file_system|fsx_*file_system|fsx_*volume|lightsail_disk)",
      "alicloud_(disk|ecs_disk|nas_file_system|cpfs_*)|azurerm_(managed_disk|netapp_volume|netapp_pool)",
      "google_(compute_disk|compute_region_disk|filestore_instance)|digitalocean_volume|openstack_blockstorage_volume*",
      "docker_volume|hcloud_volume|libvirt_volume",
    ],
  ],
  [
    "backup",
    [
      "aws_(db_snapshot|db_cluster_snapshot|ebs_snapshot|backup_vault|ami)|alicloud_(snapshot|ecs_snapshot|hbr_vault)",
      "azurerm_(snapshot|recovery_services_vault|data_protection_backup_vault)|google_compute_snapshot",
    ],
  ],
  [
    "key or secret",
    [
      "aws_(kms_key|kms_external_key|kms_replica_key|secretsmanager_secret|acmpca_certificate_authority|cloudhsm_*cluster)",
      "alicloud_(kms_key|kms_secret|kms_instance)|azurerm_key_vault(_key|_secret|_certificate|)|azurerm_key_vault_managed_*",
      "google_(kms_crypto_key|kms_key_ring|secret_manager_secret)|tls_private_key|vault_(mount|transit_secret_backend_key)",
      "kubernetes_secret(_v1|)",
    ],
  ],
  [
    "DNS zone",
    [
      "aws_route53_zone|alicloud_(dns_domain|alidns_domain|pvtz_zone)|azurerm_(dns_zone|private_dns_zone)",
      "google_dns_managed_zone|cloudflare_zone|digitalocean_domain",
    ],
  ],
  [
    "queue or stream",
    [
      "aws_(sqs_queue|kinesis_stream|msk_cluster|mq_broker)|alicloud_(alikafka_instance|log_project|log_store)",
      "azurerm_(eventhub|eventhub_namespace|servicebus_namespace|servicebus_queue)|google_pubsub_(topic|subscription)",
    ],
  ],
  ["user directory", ["aws_cognito_user_pool|auth0_connection|aws_directory_service_directory"]],
  [
    "image or code store",
    [
      "aws_(ecr_repository|codecommit_repository|codeartifact_repository)|alicloud_cr_(repo|ee_repo|ee_instance)",
      "azurerm_container_registry|google_(artifact_registry_repository|sourcerepo_repository)|(github|gitlab)_(repository|project)",
    ],
  ],
  [
    "log store",
    [
      "aws_cloudwatch_log_group|azurerm_log_analytics_workspace|google_logging_project_bucket_config",
    ],
  ],
  ["volume", ["kubernetes_(persistent_volume|persistent_volume_claim|stateful_set)(_v1|)"]],
  [
    "everything inside",
    ["azurerm_resource_group|google_project|kubernetes_namespace(_v1|)|aws_organizations_account"],
  ],
];

/** CloudFormation and ROS. */
const TEMPLATES: readonly Kind[] = [
  [
    "database",
    [
      "AWS::(RDS::DBInstance|RDS::DBCluster|RDS::GlobalCluster|DynamoDB::(Table|GlobalTable)|DocDB::DBCluster)",
      "AWS::(Neptune::DBCluster|Redshift::Cluster|ElastiCache::*|OpenSearchService::Domain|Elasticsearch::Domain)",
      "AWS::(MemoryDB::Cluster|Timestream::*|Cassandra::*|QLDB::Ledger)",
      "ALIYUN::(RDS::DBInstance|RDS::Database|POLARDB::DBCluster|MONGODB::*|REDIS::*Instance|OTS::(Instance|Table))",
      "ALIYUN::(GPDB::*|ADB::*|ClickHouse::*|HBase::*|ElasticSearch::Instance|LINDORM::*)",
    ],
  ],
  ["bucket", ["AWS::S3::Bucket|ALIYUN::OSS::Bucket"]],
  [
    "disk",
    [
      "AWS::(EC2::Volume|EFS::FileSystem|FSx::*)|ALIYUN::(ECS::Disk|NAS::FileSystem)|ALIYUN::ECS::Snapshot",
      "AWS::Backup::BackupVault",
    ],
  ],
  ["key or secret", ["AWS::(KMS::*Key|SecretsManager::Secret)|ALIYUN::KMS::(Key|Secret)"]],
  ["DNS zone", ["AWS::Route53::HostedZone|ALIYUN::(DNS::Domain|PVTZ::Zone)"]],
  [
    "queue or stream",
    ["AWS::(SQS::Queue|Kinesis::Stream|MSK::Cluster)|ALIYUN::SLS::(Project|Logstore)"],
  ],
  ["user directory", ["AWS::Cognito::UserPool"]],
  ["image or code store", ["AWS::ECR::Repository"]],
  ["log store", ["AWS::Logs::LogGroup"]],
  ["everything inside", ["AWS::CloudFormation::Stack|ALIYUN::ROS::Stack"]],
];

/** Kinds of Kubernetes manifests. */
const KUBERNETES: readonly Kind[] = [
  ["volume", ["PersistentVolume|PersistentVolumeClaim|StatefulSet|VolumeSnapshot"]],
  ["key or secret", ["Secret"]],
  ["everything inside", ["Namespace|CustomResourceDefinition"]],
];

const PATTERNS = [...TERRAFORM, ...TEMPLATES, ...KUBERNETES].map(
  ([holds, types]) =>
    [holds, new RegExp(`^(?:${types.join("|").replaceAll("*", "[A-Za-z0-9_]*")})$`)] as const,
);

/** What is lost with a resource of that type; `undefined` when it holds no data of its own. */
export function heldBy(type: string): string | undefined {
  return PATTERNS.find(([, pattern]) => pattern.test(type))?.[0];
}
