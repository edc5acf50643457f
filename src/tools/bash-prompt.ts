// Recognising a command that waited for an answer it could not get. Pure.

const QUESTION =
  /(\?|:|\[y\/n\]|\(y(es)?\/n(o)?\)|\(yes\/no\/\[fingerprint\]\)\?)\s*$|Enter a value:|only 'yes' will be accepted|password|passphrase/i;
const NO_ANSWER =
  /error asking for approval|input is (not|disabled)|No value for required variable|could not read (Username|Password)|a terminal is required|not a tty|EOF when reading/i;
const TERRAFORM = /\b(terraform|tofu|terragrunt)\b/i;

/** A hint when output that ended badly ends in a question; `undefined` otherwise. */
export function promptHint(command: string, output: string): string | undefined {
  const end = output.trimEnd().slice(-1_500);
  const lastLine = end.slice(end.lastIndexOf("\n") + 1);
  if (!QUESTION.test(lastLine) && !NO_ANSWER.test(end)) return undefined;
  const general =
    "It seems to have waited for input, which a command here never gets (stdin is empty, there is no terminal). Give the answer as an argument or a flag.";
  if (!TERRAFORM.test(`${command}\n${end}`)) return general;
  return `${general} For terraform and tofu: pass variables with -var or -var-file and -input=false. -auto-approve would answer an apply's question unseen: plan with iac_plan and apply that plan with iac_apply instead.`;
}
