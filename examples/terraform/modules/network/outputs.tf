output "vpc_id" {
  description = "Id of the network"
  value       = aws_vpc.this.id
}

output "public_subnet_ids" {
  description = "Ids of the public subnets"
  value       = [for subnet in aws_subnet.public : subnet.id]
}

output "private_subnet_ids" {
  description = "Ids of the private subnets"
  value       = [for subnet in aws_subnet.private : subnet.id]
}

output "application_security_group_id" {
  description = "Security group of the service's tasks"
  value       = aws_security_group.application.id
}
