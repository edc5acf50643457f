// What an operation's name says in the clouds' own CLIs: they are all built from API verbs.

import type { CommandClass } from "../analysis.ts";

const PLAN =
  /^(describe|list|get|head|wait|what-?if|query|validate|preview|show|estimate|simulate|lookup|search|scan|check(?!-?(in|out))|detect|batch-?get|select|filter|exists|tail|view|print|download|version|help)/i;
const DESTROY =
  /^(batch-?delete|batch-?terminate|batch-?release|delete|terminate|release|stop|reset|revoke|purge|disable|remove|rm|rb|destroy|deregister|deactivate|cancel|detach|disassociate|dismiss|reject|abort|force|kill|wipe|clear|drop|uninstall|unassign|reboot|restart-?force|deallocate|schedule-?key-?deletion|revert|rollback-?and-?delete|reimage|shutdown|power-?off|poweroff|suspend|expire|erase|undeploy)/i;
const MUTATE =
  /^(create|put|export|test|update|run|start|invoke|deploy|cp|mv|sync|modify|set|add|attach|associate|register|enable|import|copy|tag|untag|publish|send|assign|apply|execute|restore|promote|upload|install|upgrade|replace|reboot|restart|authorize|allocate|request|accept|confirm|move|rotate|grant|change|up|mb|website|presign|push|patch|scale|submit|complete|initiate|batch-?(write|put|create|execute|update)|continue|resume|rollback|approve|login|assume|encrypt|decrypt|sign|generate|configure|connect|ssh|scp|exec|migrate|failover|switch|swap|renew|subscribe|unsubscribe|join|bind|unbind|allow|record|activate)/i;

/** The class of an API operation by its name; a name that says nothing is unknown. */
export function operationClass(operation: string): CommandClass {
  if (PLAN.test(operation)) return "plan";
  if (DESTROY.test(operation)) return "destroy";
  return MUTATE.test(operation) ? "mutate" : "unknown";
}

/** Operations whose answer is a secret or a session. */
export const printsSecret = (operation: string): boolean =>
  /(get-?secret-?value|get-?parameters?|get-?session-?token|get-?authorization-?token|get-?login-?password|print-access-token|get-?access-?token|export-credentials|list-?keys|show-connection-string|get-?password-?data|credentials)/i.test(
    operation,
  );
