// Variables that make another program run, or change which one does.

const EXACT = new Set(
  `PATH IFS BASH_ENV ENV PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS CDPATH GLOBIGNORE NODE_OPTIONS NODE_PATH BUN_OPTIONS
  PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS
  PAGER MANPAGER AWS_PAGER EDITOR VISUAL KUBE_EDITOR KUBECTL_EXTERNAL_DIFF BROWSER LESSOPEN LESSCLOSE SHELL SUDO_ASKPASS SSH_ASKPASS
  TF_CLI_CONFIG_FILE TF_REATTACH_PROVIDERS TF_PLUGIN_CACHE_DIR TG_TF_PATH TERRAGRUNT_TFPATH TERRAGRUNT_DOWNLOAD GOFLAGS CC CXX MAKEFLAGS MAKEFILES
  HELM_PLUGINS KREW_ROOT DOCKER_HOST DOCKER_CONTEXT PULUMI_PYTHON_CMD`.split(/\s+/),
);

/** True for variables whose value decides which code runs: `PATH`, `LD_PRELOAD`, `GIT_SSH_COMMAND`. */
export const isRiskyVariable = (name: string): boolean =>
  EXACT.has(name) ||
  /^(LD_|DYLD_|GIT_(?!AUTHOR|COMMITTER|TERMINAL|TRACE|OPTIONAL|PAGER_IN)|BASH_FUNC|npm_config_)/.test(
    name,
  );

/** Of those, values that are harmless: switching a pager off is what a careful caller does. */
export const isHarmlessValue = (name: string, value: string | undefined): boolean =>
  name.endsWith("PAGER") && (value === "" || value === "cat");
