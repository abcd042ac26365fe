import type { RequirementTable } from '../requirement.ts'

/** Rules of part 3: states and transitions. */
export const states = {
  // 3 States and transitions
  '3/start-begins-codon': '`codon.start` from a `readandwrite` client begins the named codon.',
  '3/next-begins-codon': '`codon.next` from a `readandwrite` client begins the next codon.',
  '3/start-emits-event': 'A codon that begins is announced by `codon.started`.',
  '3/start-runs-rig-setup-first': 'Rig setup runs before the codon that a command starts.',
  '3/start-skips-rig-setup': 'With `skipPreCommands` true the codon starts without its rig setup.',
  '3/start-not-during-rollback': 'No codon begins on command while a rollback is in progress.',
  '3/end-emits-completed':
    'When the codon process ends, with success or failure, `codon.completed` is emitted.',
  '3/end-failure-reason': 'The `codon.completed` of a failed codon can carry a `failureReason`.',
  '3/end-idle-codon-completed': 'After a codon the server may become idle with the reason `codon-completed`.',
  '3/end-idle-all-codons-completed':
    'After the last codon the server may become idle with the reason `all-codons-completed`.',
  '3/skip-running-codon': '`codon.skip` ends the running codon as skipped.',
  '3/skip-creates-checkpoint': 'Skipping a codon creates a checkpoint of type `skipped`.',
  '3/skip-starts-next': 'After a skipped codon the next codon is started.',
  '3/redo-completed': '`codon.redo` runs the last codon again when it completed.',
  '3/redo-failed': '`codon.redo` runs the last codon again when it failed.',
  '3/force-stop': '`codon.forceStop` terminates the running codon at once.',
  '3/force-stop-reason': 'The optional `reason` of `codon.forceStop` is carried along.',
  '3/abort-stops-hank': 'A codon failing with `onFailure` `abort` stops the hank.',
  '3/abort-retriable-stays-active': 'After an abort on a retriable error the server stays active.',
  '3/abort-non-retriable-shuts-down': 'After an abort on a non-retriable error the server shuts down.',
  '3/retry-attempts-again': 'A codon failing with `onFailure` `retry` is attempted again.',
  '3/retry-at-most-max-attempts': 'A codon is attempted no more than `maxAttempts` times.',
  '3/retry-delays': 'Attempts are separated by the delays of `retryConfig`.',
  '3/ignore-continues': 'A codon failing with `onFailure` `ignore` is followed by the next codon.',
  '3/idle-timeout-aborts':
    'A `shimIdleTimeout` window without an agent event aborts the session as a retriable failure.',
  '3/budget-requests-sigterm': 'Reaching a budget limit requests SIGTERM for the running codon.',
  '3/budget-complete': 'With `onExceeded` `complete` the interrupted codon is marked completed.',
  '3/budget-fail': 'With `onExceeded` `fail` the interrupted codon is marked failed.',
  '3/budget-exceeded-event': 'The budget tracker emits an exceeded event when a limit is reached.',
  '3/exhaust-continues':
    'A successful codon with `exhaustWithPrompt` goes on until its context is exhausted or `maxExtensions` is reached.',
  '3/loop-ends-at-limit': 'An `iterationLimit` loop ends after `limit` iterations.',
  '3/loop-ends-at-full-context': 'A `contextExceeded` loop ends when the context window is full.',
  '3/rollback-to-checkpoint': '`rollback.toCheckpoint` restores the execution directory to that checkpoint.',
  '3/rollback-to-codon': '`rollback.toCodon` restores the execution directory to a checkpoint of that codon.',
  '3/rollback-to-last-success':
    '`rollback.toLastSuccess` restores the execution directory to the last successful codon.',
  '3/rollback-events':
    'A rollback emits `rollback.started`, `rollback.progress`, `rollback.codonCheckpoint`, `rollback.rigCleanup` and `rollback.completed`.',
  '3/rollback-auto-restart-true': 'With `autoRestart` true the next codon starts after the rollback.',
  '3/rollback-auto-restart-false': 'With `autoRestart` false no codon starts after the rollback.',
  '3/shutdown-graceful': '`server.shutdown` shuts the server down gracefully.',
  '3/sentinel-unloaded-codon-complete':
    'When its codon completes a sentinel is unloaded with `codon-complete`.',
  '3/sentinel-unloaded-fatal-error': 'After a fatal error a sentinel is unloaded with `fatal-error`.',
  '3/sentinel-unloaded-consecutive-failures':
    'After repeated failures in a row a sentinel is unloaded with `consecutive-failures`.',
  '3/sentinel-unloaded-shutdown': 'When the server shuts down a sentinel is unloaded with `shutdown`.',
  '3/alias-start-rig-setup': 'The alias `start` resolves to the `rig-setup` checkpoint when there is one.',
  '3/alias-start-previous-completed':
    'Without a `rig-setup` checkpoint the alias `start` resolves to `completed` of the previous codon.',
  '3/alias-end':
    'The alias `end` resolves to `completed`, `error` or `skipped`, whichever is the final state of the codon.',
} as const satisfies RequirementTable
