variable "region" {
  description = "AWS region of everything here"
  type        = string
  default     = "eu-central-1"
}

variable "environment" {
  description = "Name of the environment"
  type        = string

  validation {
    condition     = contains(["dev", "staging", "production"], var.environment)
    error_message = "One of dev, staging, production."
  }
}

variable "vpc_cidr" {
  description = "Address range of the network, at least a /20"
  type        = string
  default     = "10.20.0.0/16"
}

variable "availability_zones" {
  description = "How many zones the subnets spread over"
  type        = number
  default     = 2
}

variable "office_cidr" {
  description = "Where operators come from"
  type        = string
}

variable "database_instance_class" {
  description = "Size of the orders database"
  type        = string
  default     = "db.t4g.medium"
}
