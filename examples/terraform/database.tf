resource "aws_db_subnet_group" "orders" {
  name       = local.name
  subnet_ids = module.network.private_subnet_ids
}

resource "random_id" "final_snapshot" {
  byte_length = 4
}

resource "aws_db_instance" "orders" {
  identifier     = local.name
  engine         = "postgres"
  engine_version = "16.4"
  instance_class = var.database_instance_class

  allocated_storage     = 50
  max_allocated_storage = 200
  storage_encrypted     = false

  db_name  = "orders"
  username = "orders_admin"
  password = "Tr0ub4dor-and-3-horses"

  db_subnet_group_name   = aws_db_subnet_group.orders.name
  vpc_security_group_ids = [aws_security_group.database.id]
  publicly_accessible    = true

  backup_retention_period   = 0
  deletion_protection       = false
  final_snapshot_identifier = "${local.name}-${random_id.final_snapshot.hex}"

  performance_insights_enabled = true

  tags = {
    Name = local.name
    Team = var.team
  }
}
