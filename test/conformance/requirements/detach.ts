import type { RequirementTable } from '../requirement.ts'

/** Runs that go on without their terminal. */
export const detach = {
  'detach/comes-back':
    'With `--detach` (`-d`) the command prints where the execution is, its address, its log and what to do next, and exits 0 while the run goes on.',
  'detach/own-session':
    'The process of a detached run leads a session of its own, has no stdin and keeps nothing of what the command that started it wrote to.',
  'detach/quick-return':
    'In `$(weave … -d)` the shell has its answer at most 2 s after the server of the run listens.',
  'detach/checks-first':
    'Everything is checked and asked before a detached run begins; what is wrong is said by the command itself, with its exit code, and nothing is started.',
  'detach/early-end':
    'When a detached run ends before clients may come, the command says what the run said and exits with its code.',
  'detach/json':
    'With `--json` the command prints execution, address, process id and log of the run as JSON.',
  'detach/log':
    'What a detached run says goes to `.weave/logs/run.log`, for its owner only, moved aside at 16 MB.',
  'detach/hangup':
    'A hangup to the group of the command, the end of its shell and the close of its terminal do not touch a detached run.',
  'detach/listed':
    '`lock.json` of a detached run has `detached: true`, and `weave list` calls it `running (detached)`.',
  'detach/same-words':
    'A detached run has the options, the data and the answers that the command was given, and repeats no question.',
  'detach/attach':
    '`weave attach --steer` steers a detached run, and leaving that screen leaves the run alone; the screen of a run in the foreground says that `-d` is the way to leave one going.',
  'detach/wait-gate': '`weave wait` ends with 3 when the run waits at a gate, also when no server is up.',
} as const satisfies RequirementTable
