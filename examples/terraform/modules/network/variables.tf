variable "name" {
  description = "Prefix of all names"
  type        = string
}

variable "cidr" {
  description = "Address range of the network"
  type        = string
}

variable "zones" {
  description = "Availability zones, in the order of the address ranges"
  type        = list(string)
}

variable "public_cidrs" {
  description = "One range a zone"
  type        = list(string)
}

variable "private_cidrs" {
  description = "One range a zone"
  type        = list(string)
}
