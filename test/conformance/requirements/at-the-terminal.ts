import type { RequirementTable } from '../requirement.ts'

/** What a person at a shell may rely on: which execution is meant, how to go on, what is said and in which form. */
export const atTheTerminal = {
  // Which execution
  'repair/execution-by-word':
    'Every command that is about an execution takes its name, a unique beginning of it, its path or `@last`, as its word or after `-e`.',
  'repair/execution-unknown':
    'A name that is no execution is an error with the nearest name there is, and never a new run; a beginning that several share is an error that lists them.',
  'repair/execution-of-this-hank':
    'Without a name, a command in a folder with a `hank.json` means the newest execution of that hank, elsewhere the newest of all.',
  'repair/execution-first-line':
    'A command about an execution says first, on stderr, which hank and which execution it is; not with `--json`.',
  'repair/execution-knows-itself':
    '`weave -e <execution>` alone, from any folder, finds the hank of the execution and goes on with a rehearsal as a rehearsal.',
  'repair/go-on-lines':
    'Every line that says how to go on is a command that works when pasted, from any folder; it starts nothing anew and repeats no secret.',
  'repair/diff-disk-second': '`weave diff disk <checkpoint>` says that the disk can only be the second.',

  // Steering without a screen
  'repair/steer-words':
    '`weave next`, `weave skip` and `weave redo` tell a run what to do over its socket, with port and token of its lock; exit 0 when it did, 1 with its answer when it did not.',
  'repair/steer-readonly':
    'A server that lets clients watch only is not steered, with a message that says so; `attach --steer` without a screen is wrong usage.',
  'repair/stop':
    '`weave stop` ends a run in good order, with `--now` at once, with `--all` every run; it says how to go on, exit 0, and 1 when nothing runs there or it does not end.',
  'repair/wait-code':
    '`weave wait` returns when the run has ended: 0 done, 1 failed, cut off or out of time, 130 or 143 stopped before it was done.',

  // What a run and the commands around it say
  'repair/leave-code':
    'Who leaves the screen of a run before the hank is done gets exit code 130 and the command to go on; a second Ctrl-C ends at once and says it, too.',
  'repair/list':
    '`weave list` fits 100 columns on a terminal, marks rehearsals, has the local time at which each ended, right plurals, and filters by `--status` and `--hank`.',
  'repair/remove':
    '`weave rm` removes executions after a yes, and `weave gc --older-than` those not used for so long; one in which a run is going on stays.',
  'repair/journal-for-people':
    '`weave journal` shows no transitions to people unless `--all` or `--type` asks for them; a codon that the plan does not have is an error that names those it has.',
  'repair/summary':
    'The summary names the output directory only when there is one, and says when budgets cut a hank short; why a codon failed is one line before it.',
  'repair/replay-without-sentinels': 'A replay leaves sentinels out, with a warning that names them.',

  // In which form
  'repair/colour':
    'What people read has colours on a terminal and with `FORCE_COLOR`, none with `NO_COLOR` or `--no-color`, none in a pipe and none in JSON; no code comes from what is printed.',
  'repair/frame':
    'Every problem that has a place in a file is shown with its line and a caret under the place.',
  'repair/command-words':
    '`weave run` is a run, `weave resume` goes on, `weave help [command]` is help; a word that is nearly a command and nothing on the disk is wrong usage with the command it may mean.',
  'repair/help-groups': 'Help has examples, and commands and options in groups.',
} as const satisfies RequirementTable
