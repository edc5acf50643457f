output "vpc_id" {
  description = "Network of the orders service"
  value       = module.network.vpc_id
}

output "database_endpoint" {
  description = "Host and port of the orders database"
  value       = aws_db_instance.orders.endpoint
}

output "exports_bucket" {
  description = "Bucket that exports are written to"
  value       = aws_s3_bucket.exports.bucket
}

output "task_role_arn" {
  description = "Role of the orders tasks"
  value       = aws_iam_role.orders.arn
}
