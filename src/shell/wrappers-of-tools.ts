// Wrappers of tools: package runners, environments, secret stores that hand keys to a command.

import { list } from "./tables/verbs.ts";
import type { Wrapper } from "./wrapper.ts";

export const TOOL_WRAPPERS: readonly Wrapper[] = [
  { programs: ["bundle"], verb: ["exec"] },
  { programs: ["poetry", "pipenv", "rye", "pdm", "hatch"], verb: ["run"] },
  {
    programs: ["uv"],
    verb: ["run"],
    options: {
      withValue: list(
        "--with --with-editable --with-requirements --extra --group --no-group --only-group --env-file --directory --project --package -p --python --index -i --index-url",
      ),
      flags: list(
        "--all-extras --no-dev --dev --isolated --frozen --locked --no-sync --no-project --active --offline -q -v --quiet --verbose",
      ),
    },
    directory: ["--directory"],
  },
  {
    programs: ["uvx", "pipx"],
    options: {
      withValue: list("--from --with -p --python --spec"),
      flags: list("run -q -v --isolated"),
    },
    downloads: true,
  },
  {
    programs: ["npx", "bunx", "pnpx"],
    options: {
      withValue: list("-p --package -c --call"),
      flags: list("-y --yes --no --no-install -q --quiet --bun --silent --verbose"),
    },
    scripts: ["-c", "--call"],
    downloads: true,
  },
  {
    programs: ["npm", "pnpm", "yarn", "bun"],
    verb: ["exec"],
    options: {
      withValue: list("-p --package -c --call -w --workspace --filter -C"),
      flags: list("-y --yes --no -q --quiet -r --recursive"),
    },
    scripts: ["-c", "--call"],
    downloads: true,
  },
  {
    programs: ["npm", "pnpm", "yarn", "bun"],
    verb: ["x"],
    options: {
      withValue: list("-p --package -c --call -w --workspace"),
      flags: list("-y --yes --no --bun --silent"),
    },
    scripts: ["-c", "--call"],
    downloads: true,
  },
  {
    programs: ["pnpm", "yarn"],
    verb: ["dlx"],
    options: { withValue: list("-p --package"), flags: list("-q --quiet --silent") },
    downloads: true,
  },
  { programs: ["direnv"], verb: ["exec"], skip: 1, downloads: true },
  {
    programs: ["mise", "rtx"],
    verb: ["exec"],
    options: {
      withValue: list("-c --command -j --jobs -C --cd -E --env"),
      flags: list("--raw -q -v -y --yes --quiet --verbose"),
    },
    scripts: ["-c", "--command"],
    dashes: true,
  },
  {
    programs: ["mise", "rtx"],
    verb: ["x"],
    options: {
      withValue: list("-c --command -j --jobs -C --cd -E --env"),
      flags: list("--raw -q -v -y --yes --quiet --verbose"),
    },
    scripts: ["-c", "--command"],
    dashes: true,
  },
  { programs: ["asdf"], verb: ["exec"] },
  {
    programs: ["aws-vault"],
    verb: ["exec"],
    options: {
      withValue: list(
        "-d --duration -t --mfa-token --region --assume-role-ttl --session-ttl --backend --prompt",
      ),
      flags: list(
        "-n --no-session -s --server --ec2-server --ecs-server -j --json --lazy --debug --stdout",
      ),
    },
    skip: 1,
  },
  {
    programs: ["aws-okta", "saml2aws"],
    verb: ["exec"],
    options: {
      withValue: list("-a --idp-account --exec-profile -p --profile --session-duration --role"),
    },
    dashes: true,
  },
  { programs: ["envchain"], skip: 1 },
  {
    programs: ["chamber"],
    verb: ["exec"],
    options: {
      withValue: list("-b --backend -r --retries --min-throttle-delay --backend-s3-bucket"),
      flags: list("--pristine --strict -v --verbose"),
    },
    dashes: true,
  },
  {
    programs: ["doppler"],
    verb: ["run"],
    options: {
      withValue: list(
        "-p --project -c --config -t --token --command --scope --mount --mount-format --mount-template --name-transformer --fallback --passphrase --preserve-env --config-dir --api-host",
      ),
      flags: list(
        "--fallback-only --no-fallback --no-cache --silent --json --debug --forward-signals --watch",
      ),
    },
    scripts: ["--command"],
  },
  {
    programs: ["op"],
    verb: ["run"],
    options: {
      withValue: list("--env-file --account --config --session --cache --encoding"),
      flags: list("--no-masking --debug"),
    },
  },
  {
    programs: ["infisical"],
    verb: ["run"],
    options: {
      withValue: list("--env --path --token --projectId --command -c --domain --tags"),
      flags: list("--watch --recursive --include-imports --expand --silent"),
    },
    scripts: ["--command", "-c"],
  },
  {
    programs: ["teller"],
    verb: ["run"],
    options: { withValue: list("-c --config"), flags: list("--reset --shell") },
  },
  {
    programs: ["dotenv", "dotenvx"],
    options: {
      withValue: list("-f --file -e -p -v"),
      flags: list("run -o --override --overload -q --quiet"),
    },
  },
  {
    programs: ["nix-shell"],
    options: {
      withValue: list("--run --command -p --packages -I -A --attr --arg --argstr --keep --option"),
      flags: list("--pure --impure --quiet -Q"),
    },
    scripts: ["--run", "--command"],
    dashes: true,
    downloads: true,
  },
  { programs: ["sops"], verb: ["exec-env"], skip: 1, joined: true },
  {
    programs: ["sops"],
    verb: ["exec-file"],
    options: {
      withValue: list("--filename --output-type --input-type"),
      flags: list("--no-fifo --background"),
    },
    skip: 1,
    joined: true,
  },
  {
    programs: ["systemd-run"],
    options: {
      withValue: list(
        "-p --property -u --unit --slice -E --setenv --uid --gid --working-directory -M -H",
      ),
      flags: list("--user --scope --wait --pipe -t --pty -q --quiet -P -G --collect"),
    },
  },
];
