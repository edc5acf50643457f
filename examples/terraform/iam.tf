data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "orders" {
  name               = "${local.name}-task"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

data "aws_iam_policy_document" "orders" {
  statement {
    sid       = "WriteExports"
    actions   = ["s3:PutObject"]
    resources = ["${aws_s3_bucket.exports.arn}/*"]
  }

  statement {
    sid       = "Everything"
    actions   = ["*"]
    resources = ["*"]
  }
}

resource "aws_iam_role_policy" "orders" {
  name   = "orders"
  role   = aws_iam_role.orders.id
  policy = data.aws_iam_policy_document.orders.json
}
