# A service as Terraform sees one, of built-in resources only: plan and apply work without an account and without a download.

terraform {
  required_version = ">= 1.4"
}

locals {
  name = "orders-${var.environment}"
}

resource "terraform_data" "database" {
  input = {
    name    = "${local.name}-db"
    version = var.database_version
  }
  # A new version needs a new database, as with many real ones.
  triggers_replace = [var.database_version]
}

resource "terraform_data" "worker" {
  for_each = toset(var.zones)

  input = {
    zone     = each.key
    database = terraform_data.database.id
  }
}

# Slow on purpose: cancel an apply here and see that the state is written all the same.
resource "terraform_data" "migration" {
  triggers_replace = [terraform_data.database.id]

  provisioner "local-exec" {
    command = "sleep ${var.migration_seconds}"
  }
}

check "zones" {
  assert {
    condition     = length(var.zones) > 1
    error_message = "One zone is no redundancy."
  }
}
