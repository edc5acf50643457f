// Attributes of resource types that always hold a secret though their name does not say so, from the providers' own
// documentation. Names such as `password` need no entry here.

const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  alicloud_ram_access_key: ["secret"],
  aws_iam_access_key: ["secret", "ses_smtp_password_v4"],
  aws_iam_user_login_profile: ["password"],
  aws_secretsmanager_secret_version: ["secret_string", "secret_binary"],
  aws_ssm_parameter: ["value", "insecure_value"],
  aws_mq_broker: ["user"],
  azurerm_key_vault_secret: ["value"],
  azurerm_kubernetes_cluster: ["kube_config_raw", "kube_admin_config_raw", "kube_config"],
  azuread_application_password: ["value"],
  azuread_service_principal_password: ["value"],
  github_actions_secret: ["plaintext_value", "encrypted_value"],
  gitlab_project_variable: ["value"],
  google_secret_manager_secret_version: ["secret_data"],
  google_service_account_key: ["private_key"],
  google_container_cluster: ["master_auth"],
  helm_release: ["set_sensitive"],
  kubernetes_secret: ["data", "binary_data"],
  kubernetes_secret_v1: ["data", "binary_data"],
  random_bytes: ["base64", "hex"],
  random_password: ["result", "bcrypt_hash"],
  tls_private_key: ["private_key_pem", "private_key_openssh", "private_key_pem_pkcs8"],
  vault_generic_secret: ["data_json", "data"],
  vault_kv_secret_v2: ["data_json", "data"],
};

/** Attribute names of `type` that always hold a secret. */
export function secretAttributesOf(type: string): readonly string[] {
  return Object.hasOwn(ALWAYS, type) ? (ALWAYS[type] ?? []) : [];
}
