data "aws_availability_zones" "available" {
  state = "available"
}

locals {
  name  = "orders-${var.environment}"
  zones = slice(data.aws_availability_zones.available.names, 0, var.availability_zones)

  # Public subnets first, then private ones, each a /20 apart.
  public_cidrs  = [for index, zone in local.zones : cidrsubnet(var.vpc_cidr, 4, index)]
  private_cidrs = [for index, zone in local.zones : cidrsubnet(var.vpc_cidr, 4, index + 8)]
}

module "network" {
  source = "./modules/network"

  name          = local.name
  cidr          = var.vpc_cidr
  zones         = local.zones
  public_cidrs  = local.public_cidrs
  private_cidrs = local.private_cidrs
}

resource "aws_security_group" "bastion" {
  name        = "${local.name}-bastion"
  description = "Operators to the bastion host"
  vpc_id      = module.network.vpc_id

  ingress {
    description = "SSH from the office"
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }

  egress {
    description = "To the private subnets"
    from_port   = 0
    to_port     = 65535
    protocol    = "tcp"
    cidr_blocks = local.private_cidrs
  }
}

resource "aws_security_group" "database" {
  name        = "${local.name}-database"
  description = "Application and bastion to the database"
  vpc_id      = module.network.vpc_id

  dynamic "ingress" {
    for_each = {
      application = module.network.application_security_group_id
      bastion     = aws_security_group.bastion.id
    }

    content {
      description     = "PostgreSQL from the ${ingress.key}"
      from_port       = 5432
      to_port         = 5432
      protocol        = "tcp"
      security_groups = [ingress.value]
    }
  }
}
