variable "environment" {
  description = "Part of every name; a delete in prod is judged harder."
  type        = string
  default     = "staging"
}

variable "database_version" {
  description = "Changing it replaces the database."
  type        = string
  default     = "16"
}

variable "zones" {
  description = "One worker each."
  type        = list(string)
  default     = ["a", "b"]
}

variable "migration_seconds" {
  description = "How long the migration takes."
  type        = number
  default     = 3
}
