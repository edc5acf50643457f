// docker, podman and docker compose: what is run inside counts too.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  readInvocation,
  valuesOf,
} from "../invocation.ts";
import { DYNAMIC, literal, type Word } from "../words.ts";
import type { CliTable, Run, Verdict } from "./table.ts";
import { list, verbs } from "./verbs.ts";

const RUN_OPTIONS = {
  clusters: true,
  stopAtOperand: true,
  withValue:
    list(`-e --env --env-file -v --volume -w --workdir -u --user -p --publish --name --network --net --entrypoint --mount -m --memory --cpus -h --hostname
    -l --label --platform --pull --add-host --cap-add --cap-drop --device --dns --gpus --ipc --pid --privileged= --restart --runtime --security-opt --shm-size --tmpfs --ulimit --userns --volumes-from --log-driver --log-opt --link --expose --cidfile --stop-signal --detach-keys -a --attach --index -f --file --project-name --profile`),
  flags: list(
    "-d --detach -i --interactive -t --tty -it --rm --privileged --init --read-only --no-healthcheck --sig-proxy --oom-kill-disable -P --publish-all -T --no-TTY --no-deps --build --quiet-pull --service-ports --use-aliases",
  ),
};

/** The command given to an image: the image's own program stands before it when that is a known tool. */
function insideRun(words: readonly Word[]): { runs: Run[]; certain: boolean } {
  const call = readInvocation("run", words, RUN_OPTIONS);
  const [image, ...command] = operandWords(call);
  const entry = call.options.find(({ name }) => name === "--entrypoint")?.value;
  const elsewhere = true;
  if (entry !== undefined)
    return { runs: [{ type: "words", words: [entry, ...command], elsewhere }], certain: true };
  const tool = image?.text?.replace(/@.*$/, "").split("/").at(-1)?.replace(/:.*$/, "");
  const runs: Run[] = command.length > 0 ? [{ type: "words", words: command, elsewhere }] : [];
  // hashicorp/terraform:1.9 destroy: the image starts its own program with these words.
  const program = toolOf(tool);
  if (program !== undefined)
    return {
      runs: [{ type: "words", words: [literal(program), ...command], elsewhere }],
      certain: true,
    };
  return { runs, certain: call.options.every(({ listed }) => listed) && image?.text !== undefined };
}

const TOOLS: readonly (readonly [RegExp, string])[] = [
  [/^terraform/, "terraform"],
  [/^(open)?tofu/, "tofu"],
  [/^terragrunt/, "terragrunt"],
  [/kubectl/, "kubectl"],
  [/helm/, "helm"],
  [/^aws-?cli/, "aws"],
  [/^pulumi/, "pulumi"],
  [/^ansible/, "ansible-playbook"],
];
const toolOf = (image: string | undefined): string | undefined =>
  TOOLS.find(([pattern]) => image !== undefined && pattern.test(image))?.[1];

/** `docker exec NAME cmd …`, `docker compose run SERVICE cmd …`. */
function insideExec(words: readonly Word[]): Run[] {
  const call = readInvocation("exec", words, RUN_OPTIONS);
  const command = operandWords(call, 1);
  return command.length === 0 ? [] : [{ type: "words", words: command, elsewhere: true }];
}

/** Words after the verb, options included. */
function afterVerb(call: Invocation, length: number): readonly Word[] {
  const verb = call.operands[length - 1];
  return verb === undefined ? [DYNAMIC] : call.words.slice(verb.at + 1);
}

function inspect(call: Invocation, verdict: Verdict): Verdict {
  // Its own folder of settings names programs: plugins and helpers that hold passwords.
  if (hasOption(call, "--config"))
    return { ...verdict, class: "unknown", reason: "those settings may name programs" };
  const result = inspectVerb(call, verdict);
  const away =
    call.options.some(({ name, at }) => name === "-H" && at < (call.operands[0]?.at ?? 0)) ||
    hasOption(call, "--host", "-c", "--context", "--url", "--connection");
  return away && result.class === "read" ? { ...result, class: "plan" } : result;
}

function inspectVerb(call: Invocation, verdict: Verdict): Verdict {
  const words = operandWords(call).map(({ text }) => text);
  const compose = call.program === "docker-compose" || words[0] === "compose";
  const offset = words[0] === "compose" || words[0] === "container" ? 1 : 0;
  const verb = words[offset];
  if (verb === "run" && !compose) {
    const { runs, certain } = insideRun(afterVerb(call, offset + 1));
    return {
      ...verdict,
      class: certain ? "mutate" : "unknown",
      reason: "runs a container",
      runs,
      always: false,
    };
  }
  if (verb === "exec" || (verb === "run" && compose))
    return {
      ...verdict,
      class: "mutate",
      reason: "runs a command in a container",
      runs: insideExec(afterVerb(call, offset + 1)),
      always: false,
    };
  if (verb === "rm" && !compose && mayHaveOption(call, "-v", "--volumes"))
    return { ...verdict, reason: "removes containers and their volumes" };
  if (verb === "down" && mayHaveOption(call, "-v", "--volumes", "--rmi"))
    return { ...verdict, class: "destroy", reason: "removes volumes and what they hold" };
  if (compose && /^(config|convert)$/.test(verb ?? "") && mayHaveOption(call, "-o", "--output"))
    return { ...verdict, class: "write", writes: valuesOf(call, "-o", "--output") };
  if (verb === "cp" && !compose) {
    const [target] = operandWords(call).slice(-1);
    return target?.text?.includes(":") === false ? { ...verdict, writes: [target] } : verdict;
  }
  if ((verb === "build" || verb === "buildx") && hasOption(call, "--push"))
    return { ...verdict, class: "mutate" };
  return verdict;
}

const COMPOSE = verbs({
  read: "ps,config,ls,version,images,top,port,logs,events,convert",
  write: "build,pull,create",
  mutate: "up,start,stop,restart,down,run,exec,push,cp,pause,unpause,scale,watch,attach",
  destroy: "rm,kill",
});

export const docker: CliTable = {
  name: "docker",
  programs: ["docker", "podman", "nerdctl", "docker-compose"],
  options: {
    clusters: true,
    withValue: list(
      "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey -f --file -p --project-name --profile --env-file --project-directory -t --tag --build-arg --filter --format -n --tail --since --until -o --output --platform --target",
    ),
    flags: list(
      "-D --debug --tls --tlsverify -v --version --help --no-cache --pull --push --load -q --quiet -a --all --no-trunc -s --size --compatibility --dry-run",
    ),
  },
  verbs: {
    ...Object.fromEntries(
      Object.entries(COMPOSE).flatMap(([verb, rule]) => [[`compose ${verb}`, rule]]),
    ),
    ...verbs({
      read: "ps,images,image ls,image inspect,image history,inspect,logs,version,info,history,top,stats,port,diff,container ls,container inspect,container logs,network ls,network inspect,volume ls,volume inspect,system df,system info,context ls,context show,context inspect,buildx ls,events,search,help,manifest inspect,",
      write:
        "build,buildx build,buildx,pull,tag,image build,image pull,image tag,save,export,import,load,commit,context use,scout",
      mutate:
        "run,exec,start,stop,restart,create,push,login,logout,cp,network create,volume create,kill,pause,unpause,rename,update,wait,attach,swarm,service,stack,node,container run,container exec,container start,container stop,image push,network connect,context create,plugin,secret,config,down,up,compose",
      destroy:
        "rm,rmi,image rm,container rm,volume rm,network rm,system prune,image prune,container prune,volume prune,network prune,builder prune,stack rm,service rm,secret rm,context rm,swarm leave",
    }),
  },
  inspect,
};
