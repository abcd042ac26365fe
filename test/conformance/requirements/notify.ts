import type { RequirementTable } from '../requirement.ts'

/** Whom weave tells of a run, and how. */
export const notify = {
  'notify/own-file':
    'Who is told stands in `~/.weave/notify.json`, or in the file that `--notify` names; a hank and the `weave.json` beside it cannot name anybody; with `--no-notify` nobody is told.',
  'notify/strict':
    '`notify.json` is checked strictly: what is wrong is said with its place, and nothing is started; `weave schema notify` prints its schema.',
  'notify/private-file': 'A `notify.json` that others can read is warned about.',
  'notify/rehearsal': 'A rehearsal tells nobody unless `--notify` names a file.',
  'notify/types':
    'A target is told of gates that wait or expire, of the end of runs, of limits that are reached and of batches that a fleet paused, unless `on` says otherwise; `hanks` restricts it to hanks by name.',
  'notify/near': 'At 80 % of the dollars of a run `budget.near` is told, once.',
  'notify/no-retries': 'A codon that is tried again notifies nobody; the failure that ends the run does.',
  'notify/body':
    'A notification is at most 4 kB of JSON with type, time, execution, hank, cost and duration; it holds no prompt, no output, no file and no secret.',
  'notify/webhook-signed':
    'A webhook carries the headers of Standard Webhooks, and with a secret a signature that their library verifies; the id is that of the event.',
  'notify/webhook-formats': 'The formats `slack`, `discord` and `ntfy` send what those services read.',
  'notify/webhook-tries':
    'A webhook is tried again after 5 s, 30 s and 2 min on 408, 429, 5xx and no answer, not on another answer, and follows no redirect.',
  'notify/webhook-address': 'A webhook goes to https, or to http on this machine.',
  'notify/command':
    'A command runs without a shell, with the body on its stdin and type and execution in its environment; its group is ended after its time.',
  'notify/desktop':
    'A desktop notification gives its words as arguments; a program that is missing is said once at the start.',
  'notify/terminal':
    'A terminal gets a bell and OSC 9, kitty OSC 99; inside tmux both are wrapped, and only the bell goes out where tmux hands nothing on.',
  'notify/at-least-once':
    'What is in the journal and was not told when the process was killed is told after the next start, under the same id.',
  'notify/quick': 'A notification reaches its target within a second of its event, in 95 of 100.',
  'notify/never-the-runs-business':
    'A target that fails is one warning in the journal and nothing else to the run; the end of a run is waited for 5 s at most.',
  'notify/expiring':
    'A gate with a deadline is told of once more when a fifth of its time is left, at least ten minutes before.',
  'notify/test': '`weave notify test` sends one notification to each target and says what came of it.',
} as const satisfies RequirementTable
