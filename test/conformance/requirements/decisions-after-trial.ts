import type { RequirementTable } from '../requirement.ts'

/** Answers of decisions 14: what was settled after the first release had been tried from outside. */
export const decisionsAfterTrial = {
  // d14 Sentinels
  'd14/sentinel-follow-ups-trigger-nothing':
    'Nothing that follows from a sentinel triggers a sentinel: no `sentinel.*` event, no `SentinelStatesUpdated`, no cost of its calls.',
  'd14/template-dates':
    '`it.world.currentTime` and `it.codon.startTime` are `Date` objects in templates and print as ISO text.',
  'd14/sentinel-prompt-file-list':
    '`userPromptFile` and `systemPromptFile` of a sentinel take a list as in a codon.',
  'd14/sentinel-schema-str': '`schemaStr` is JSON Schema as text and is never evaluated as code.',
  'd14/sentinel-output-format-default': '`output` without `format` is `text`.',
  'd14/sentinel-output-beside-structured':
    '`output.file` and `output.lastValueFile` are allowed beside `structuredOutput`; only `output.format` is not.',
  'd14/health-check-owner': 'The call of a health check belongs to the first sentinel with that model.',
  'd14/wait-for-all-health-checks':
    'With `waitForAllHealthChecks` nothing of the hank starts, rigs included, until every check is over.',
  // d14 Rollback
  'd14/rollback-rig-setup-keeps-rig':
    'After a rollback to `rig-setup` or `start` what the rig of the codon put there is there, and the codon starts without its rig.',
  'd14/rig-cleanup-own-files':
    'Rig cleanup touches only what the undone rigs created, as recorded when they ran, never a file that another codon or a person made.',
  'd14/rig-cleanup-named': 'What rig cleanup moves aside is named in `rollback.rigCleanup`.',
  'd14/snapshot-after-rollback': '`state.snapshot` after a rollback carries the file tree as it is then.',
  // d14 Budgets
  'd14/proportional-leftover':
    'With `proportional` what an earlier child left may be used by later ones, with or without a share.',
  'd14/proportional-table': '`--validate` prints the share of a child and the most that it can become.',
  'd14/tolerated-rig-failure':
    'A tolerated rig failure is an `error` of severity `operation` with `context`, a log line and a headless line.',
  'd14/budget-stop-info': 'A budget stop is told to clients that know only the 27 events by an `info` event.',
  // d14 History
  'd14/history-27': '`history.sync` gives a client without extensions all journaled events of the 27 types.',
  'd14/history-extensions': '`history.sync` gives a client with the extension `weave` every journaled event.',
  'd14/history-hidden-live-only':
    '`reportToWebsocket` switches live delivery only, never the history of the journal.',
  'd14/total-events-own': '`totalEvents` is the number of events that this client can get.',
  'd14/handshake-last-seq': 'The answer to the handshake has `lastSeq`.',
  // d14 Retry
  'd14/retry-hint-every-harness':
    'A retry-after hint of any length replaces the delay on every harness, with and without the proxy; over 60 s it is parked.',
  'd14/retry-wait-not-idle': 'Waiting for a retry-after hint is not idleness.',
  'd14/idle-from-first-sign': 'The idle limit counts from the first sign of life of the agent.',
  'd14/launch-limit': 'Launching an agent has a limit of its own of 60 s.',
  // d14 Rehearsal
  'd14/rehearsal-no-outside':
    'A rehearsal uses no address and no credential of the outside for any provider: catalogue, `models.json`, `env` of a codon, sentinels, self-tests.',
  'd14/rehearsal-own-prompt':
    'A codon without a script writes the first lines of its own prompt on both harnesses.',
  'd14/rehearsal-positions-rollback': 'Positions in a rehearsal script go back with a rollback.',
  'd14/rehearsal-positions-resume': 'Positions in a rehearsal script survive a resume.',
  // d14 Usage errors
  'd14/flag-value-usage':
    'A flag whose value does not parse or is out of range ends with exit code 2, also with `--validate`.',
  // d14 Proxy
  'd14/proxy-caller-bytes': 'Unchanged structured data goes up as the bytes of the caller.',
  'd14/proxy-changed-serialised': 'What a middleware of the proxy changed is serialised again.',
  'd14/proxy-gate': 'Host, Origin and Sec-Fetch rules hold on the port of the proxy as on the other.',
  // d14 Lock
  'd14/lock-run-id': '`runId` of the lock is the id of the run that this server opens.',
  'd14/lock-host': 'The lock names its host.',
  'd14/lock-nobody':
    'A lock file that names nobody and was not written for 60 s is taken, and the old one is kept aside.',
  'd14/lock-lost-ends': 'Losing the lock ends the writer.',
  // d14 Names
  'd14/setting-variables':
    'Every key of `weave.json` follows the general mapping of its `WEAVE_RUNTIME_` variable.',
  'd14/log-parsing-interval':
    '`logParsingInterval` is accepted and read by nothing, and `--validate --verbose` says so.',
  // d14 Workspace
  'd14/gitignore-not-read': '`.gitignore` files inside the workspace do not limit checkpoints.',
  'd14/idle-pattern-warning':
    'A pattern of outputs or archives that matches nothing is a warning at run time that names the pattern.',
  'd14/archive-needed-later':
    'A directory name in `archiveOnSuccess` that would move what a later item or an output needs is a load warning.',
  // d14 Small ones
  'd14/frame-rate': 'Frames beyond 200 a second, pings included, close with 1008.',
  'd14/checkpoint-sha-shape': 'A `checkpointSha` that is no sha is `INVALID_COMMAND`.',
  'd14/fell-behind-cut': 'A client that fell behind has 30 s to find its 1013 and is cut then.',
  'd14/later-selection':
    'A file that only a later codon selects goes back to what it was when that codon began.',
  'd14/selection-any-list':
    'A file is selected when the list of any codon selects it; `!pattern` counts within its own list.',
  'd14/command-length': 'A command over 131,071 bytes is a load error.',
  'd14/path-length': 'A path over 4,096 characters is a load error.',
} as const satisfies RequirementTable
