// Texts of the kinds a session consists of, for the token estimate. Plain data.

export const HCL = `terraform {
  required_version = ">= 1.6.0"
  required_providers {
    alicloud = { source = "aliyun/alicloud", version = "~> 1.230" }
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "zone_ids" {
  type        = list(string)
  description = "Availability zones in which switches are made"
  default     = ["cn-hangzhou-h", "cn-hangzhou-i"]
}

resource "alicloud_vpc" "main" {
  vpc_name   = "\${var.name}-vpc"
  cidr_block = "10.0.0.0/8"
  tags       = merge(local.tags, { Environment = var.environment })
}

resource "alicloud_vswitch" "app" {
  for_each   = { for index, zone in var.zone_ids : zone => index }
  vpc_id     = alicloud_vpc.main.id
  cidr_block = cidrsubnet(alicloud_vpc.main.cidr_block, 8, each.value)
  zone_id    = each.key
}

resource "aws_security_group_rule" "ingress_https" {
  type              = "ingress"
  from_port         = 443
  to_port           = 443
  protocol          = "tcp"
  cidr_blocks       = ["0.0.0.0/0"]
  security_group_id = aws_security_group.web.id
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

output "vswitch_ids" {
  value = [for s in alicloud_vswitch.app : s.id]
}
`;
export const PLAN_JSON = JSON.stringify(
  {
    format_version: "1.2",
    terraform_version: "1.9.5",
    resource_changes: [1, 2, 3, 4].map((i) => ({
      address: `module.network.aws_subnet.private[${i}]`,
      mode: "managed",
      type: "aws_subnet",
      name: "private",
      index: i,
      provider_name: "registry.terraform.io/hashicorp/aws",
      change: {
        actions: ["create"],
        before: null,
        after: {
          cidr_block: `10.0.${i}.0/24`,
          map_public_ip_on_launch: false,
          availability_zone: "eu-central-1a",
          tags: { Name: `private-${i}`, ManagedBy: "terraform" },
        },
        after_unknown: { id: true, arn: true, vpc_id: true },
      },
    })),
  },
  null,
  2,
);
export const COMPACT_JSON = JSON.stringify(JSON.parse(PLAN_JSON));
export const PROSE = `Terraform keeps a state file that maps the resources in your configuration to real objects in the cloud. When you run a plan, it reads the state, asks each provider what really exists, and prints the difference. An apply then makes the changes in the order of their dependencies, and writes the state after each step, so that an interrupted run can be picked up again. Never edit the state by hand: a single wrong character is enough to lose track of a database, and the next apply would then try to create it a second time. If a resource was made outside of Terraform, import it; if it must be forgotten but not destroyed, use a removed block. Teams should keep the state in a remote backend with locking, because two people who apply at the same moment will otherwise overwrite each other's work without any warning.`;
export const CHINESE = `资源编排服务(ROS)通过模板描述云上的基础设施。您只需要在模板中定义所需的资源,例如云服务器、专有网络和数据库实例,系统就会按照依赖关系自动创建并配置这些资源。更新资源栈时,服务会先比较新旧模板之间的差异,然后只修改发生变化的部分。请不要直接在控制台手动修改由资源栈管理的资源,否则会产生漂移,下一次更新可能会覆盖您的修改。如果某个资源创建失败,默认情况下整个资源栈会回滚到之前的状态。生产环境中建议开启删除保护,并且在执行变更之前先预览变更集,确认没有意外的替换或者删除操作。`;
export const SHELL = Array.from(
  { length: 30 },
  (_, i) =>
    `2026-01-0${(i % 9) + 1}T10:2${i % 10}:0${i % 7}Z INFO  aws_instance.web[${i}]: Still creating... [${i}0s elapsed] id=i-0${(i * 7919).toString(16)}abc${i}def`,
).join("\n");
