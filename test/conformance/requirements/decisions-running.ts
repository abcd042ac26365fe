import type { RequirementTable } from '../requirement.ts'

/** Answers of decisions 7, 8, 8a and 9: checkpoints and rollback, running codons, preflight, budgets. */
export const decisionsRunning = {
  // d7 Checkpoints and rollback
  'd7/git-version-checked':
    'At start a system `git` that is missing or older than 2.30 is refused with a clear message.',
  'd7/git-own-directory':
    'Checkpoints use their own `GIT_DIR` and configuration and leave every repository of the user untouched.',
  'd7/git-no-outside-config': 'git runs with `GIT_CONFIG_GLOBAL=/dev/null` and `GIT_CONFIG_NOSYSTEM=1`.',
  'd7/git-no-hooks': 'Hooks of the workspace never run.',
  'd7/git-no-filters': 'Filters of the workspace never run.',
  'd7/git-no-fsmonitor': 'An fsmonitor of the workspace never runs.',
  'd7/git-no-attributes': 'Attributes of the workspace have no effect on checkpoints.',
  'd7/git-identity': 'The author and committer of checkpoints are fixed, whatever the user has configured.',
  'd7/selection-union':
    'A checkpoint selects by the union of `checkpointedFiles` of all codons started so far in this thread of runs.',
  'd7/selection-gitignore-rules': 'The patterns of the selection follow gitignore rules.',
  'd7/selection-without-data': '`read_only_data_source` is never in a checkpoint.',
  'd7/selection-without-git': 'No `.git` is ever in a checkpoint.',
  'd7/selection-directory-name': 'A pattern that names a directory selects everything under it.',
  'd7/deletions-recorded': 'A selected file that was deleted is absent from the next checkpoint.',
  'd7/every-end-has-checkpoint': 'Every codon end has a checkpoint, as an empty commit when nothing changed.',
  'd7/commit-subject': 'The subject of a checkpoint commit is `checkpoint(<type>): <runtimeId>`.',
  'd7/commit-trailers': 'A checkpoint commit has the trailers `Weave-Run`, `Weave-Codon` and `Weave-Status`.',
  'd7/branch': 'The checkpoints of a run are on the branch `run-<runId>`.',
  'd7/branches-kept': 'A rollback never deletes an old branch.',
  'd7/rollback-stops-codon': 'A rollback stops the running codon first.',
  'd7/rollback-safety-checkpoint':
    'Before it restores, a rollback takes a safety checkpoint at `refs/weave/safety/<timestamp>`.',
  'd7/rollback-intent': 'The intent of a rollback is in the journal before any file is restored.',
  'd7/rollback-restores': 'A rollback restores the selected files to the content of the target checkpoint.',
  'd7/rollback-restores-archive': 'A rollback puts archived files of the undone codons back.',
  'd7/rollback-new-run': 'A rollback opens a new run whose `startedFrom` names the target.',
  'd7/rollback-announced-last': 'A rollback is announced as completed only after the new run is open.',
  'd7/rollback-leaves-other-files':
    'A rollback neither deletes nor overwrites a file that was never checkpointed.',
  'd7/rollback-kill-repaired': 'A rollback killed at any step is repaired at the next start.',
  'd7/rollback-sha-prefix': '`rollback.toCheckpoint` accepts a unique sha prefix of at least 4 characters.',
  'd7/rollback-short-prefix': '`rollback.toCheckpoint` refuses a sha prefix shorter than 4 characters.',
  'd7/after-rig-setup': 'After a rollback to `rig-setup` the codon runs again without its rig.',
  'd7/after-codon-end':
    'After a rollback to `completed`, `error` or `skipped` of a codon, the next codon is the one after it.',
  'd7/rig-cleanup-list':
    '`rollback.rigCleanup` lists what the rigs of the undone codons made and the target commit does not contain.',

  // d8 Running codons
  'd8/process-group': 'Each agent and rig process lives in its own process group.',
  'd8/process-markers':
    'Agent and rig processes have `WEAVE_EXECUTION_ID` and `WEAVE_CODON_ID` in their environment.',
  'd8/process-stdin': 'The stdin of agent and rig processes is closed.',
  'd8/end-sigterm-group': 'Ending a process sends SIGTERM to its whole group.',
  'd8/end-sigkill': 'A process group still alive 5 s after SIGTERM gets SIGKILL.',
  'd8/end-sweep': 'After the end of a group, survivors that carry the marker are found and ended too.',
  'd8/server-death': 'After SIGKILL of the server no agent process lives longer than 10 s.',
  'd8/idle-timeout': 'The idle timeout counts time without any harness message while no tool call is open.',
  'd8/idle-timeout-paused': 'An open tool call does not run into the idle timeout.',
  'd8/tool-call-limit': 'An open tool call may take up to 30 minutes.',
  'd8/rig-shell': 'Rig commands run in `/bin/sh -c`, on Windows in its shell.',
  'd8/rig-sequential': 'Rig operations run one after another in the listed order.',
  'd8/rig-output-log': 'The output of rig commands is streamed to the log.',
  'd8/rig-output-events': 'The output of rig commands is streamed to extension events.',
  'd8/copy-creates-parents': 'A rig `copy` creates missing parent directories of its target.',
  'd8/last-copied-before-copy': '`lastCopied` before any copy operation is a load error.',
  'd8/retry-delay': 'Retry attempt n waits `min(delayMs * 2^(n-1), maxDelayMs)`.',
  'd8/retry-max-delay-range': '`maxDelayMs` is an integer from 0 to 600000.',
  'd8/retry-max-delay-default': '`maxDelayMs` defaults to 60000.',
  'd8/retry-after': 'A retry-after hint replaces the computed delay.',
  'd8/retry-after-uncapped': 'A retry-after hint is not capped by `maxDelayMs`.',
  'd8/retry-parked': 'A wait over 60 s is announced as parked and shown with its end time.',
  'd8/retry-starting-checkpoint': 'Each retry starts from the starting checkpoint of the codon.',
  'd8/retry-wait-skip': '`codon.skip` cuts a retry wait short.',
  'd8/retry-wait-force-stop': '`codon.forceStop` cuts a retry wait short.',
  'd8/retry-wait-shutdown': 'A shutdown cuts a retry wait short.',
  'd8/retriable-rate-limit': 'A rate limit failure is retriable.',
  'd8/retriable-overloaded': 'An overloaded provider is a retriable failure.',
  'd8/retriable-5xx': 'A 5xx answer is a retriable failure.',
  'd8/retriable-connection': 'A connection error is a retriable failure.',
  'd8/retriable-idle-timeout': 'An idle timeout is a retriable failure.',
  'd8/retriable-crash': 'A crash without a result is a retriable failure.',
  'd8/final-authentication': 'An authentication failure is not retriable.',
  'd8/final-billing': 'A billing failure is not retriable.',
  'd8/final-invalid-request': 'An invalid request is a failure that is not retriable.',
  'd8/final-model-not-found': 'A model that the provider does not find is a failure that is not retriable.',
  'd8/final-launch-failure': 'A local launch failure is not retriable.',
  'd8/final-budget': 'An exceeded budget with `onExceeded` `fail` is a failure that is not retriable.',
  'd8/final-sentinel-load': 'A sentinel load failure is not retriable.',
  'd8/false-success': 'A harness result that says success but carries an error is a failure.',
  'd8/abort-waits':
    'After an abort on a retriable failure the server stays idle and `codon.redo` of a client runs the codon again.',
  'd8/abort-headless': 'After an abort on a retriable failure a headless run exits 1.',
  'd8/continue-nearest-session':
    '`continue-previous` resumes the session of the nearest earlier codon of the thread that has one.',
  'd8/continue-without-session':
    '`continue-previous` without a session to resume fails at once with a clear reason.',
  'd8/continue-first-codon': 'A first codon with `continue-previous` gives a warning and starts fresh.',
  'd8/rollback-session':
    'After a rollback a continued session holds no turns of codons later than the target checkpoint.',
  'd8/context-overflow-error': 'A context overflow error of the provider counts as context exhaustion.',
  'd8/context-compaction-boundary': 'With `autoCompact` a compaction boundary counts as context exhaustion.',
  'd8/context-loop-codon-completes': 'On context exhaustion in a `contextExceeded` loop the codon completes.',
  'd8/context-loop-drops-rest':
    'On context exhaustion in a `contextExceeded` loop the rest of the iteration does not run and the loop ends.',
  'd8/context-exhaust-completes': 'On context exhaustion a codon with `exhaustWithPrompt` completes.',
  'd8/context-other-fails': 'On context exhaustion any other codon fails.',
  'd8/context-auto-compact-goes-on':
    'With `autoCompact` a codon outside such loops and without `exhaustWithPrompt` does not fail on context exhaustion.',
  'd8/unbounded-loop-warning':
    'A `contextExceeded` loop without any budget gives a load warning that nothing bounds its cost.',
  'd8/front-matter-metadata':
    'YAML front matter of a prompt with `name`, `description`, `tags`, `version`, `author` becomes `promptMetadata`.',
  'd8/front-matter-not-sent': 'Front matter of a prompt is not sent to the model.',
  'd8/front-matter-first-wins':
    'With several prompt files the first one that has a front matter field gives its value.',
  'd8/prompt-files-joined': 'Several prompt files are joined with a blank line.',
  'd8/unknown-template-kept': 'An unknown `<%…%>` in a prompt is sent as it is.',
  'd8/output-after-success': 'Output files are copied only after the codon succeeded.',
  'd8/output-before-completed': 'Output files are in place before the codon has the status `completed`.',
  'd8/output-symlink-refused': 'Output copying refuses a symlink that leaves the workspace.',

  // d8a Preflight: shape, self-tests and catalogue
  'd8a/strict-meta': 'An unknown key in `meta` is an error that lists the valid fields there.',
  'd8a/strict-overrides': 'An unknown key in `overrides` is an error that lists the valid fields there.',
  'd8a/strict-requirements':
    'An unknown key in `requirements` is an error that lists the valid fields there.',
  'd8a/strict-budget': 'An unknown key in a `budget` is an error that lists the valid fields there.',
  'd8a/strict-retry-config': 'An unknown key in `retryConfig` is an error that lists the valid fields there.',
  'd8a/strict-rig': 'An unknown key in a rig item is an error that lists the valid fields there.',
  'd8a/strict-output': 'An unknown key in an output item is an error that lists the valid fields there.',
  'd8a/strict-attachment':
    'An unknown key in a sentinel attachment is an error that lists the valid fields there.',
  'd8a/strict-everywhere':
    'An unknown key in any other object of a hank, such as `terminateOn`, `settings` or `overrides.sentinel`, is an error that lists the valid fields there.',
  'd8a/limits-positive': 'A limit of money, time or tokens below 0 is an error, and one of 0 a warning.',
  'd8a/shares-range': 'Each of `shares` is from 0 to 1, and one of 0 is a warning.',
  'd8a/budget-where': 'A budget field at a place outside its "where" column is an error.',
  'd8a/copy-to-inside': '`copy.to` must be relative and stay inside the workspace.',
  'd8a/not-empty-copy-from': 'An empty `copy.from` is an error.',
  'd8a/not-empty-copy-to': 'An empty `copy.to` is an error.',
  'd8a/not-empty-command': 'An empty `command.run` is an error.',
  'd8a/not-empty-globs': 'An empty glob is an error.',
  'd8a/not-empty-names': 'An empty name is an error.',
  'd8a/before-copy-allow-failure': '`allowFailure` in a `beforeCopy` item is an error.',
  'd8a/model-optional':
    'A codon may leave out `model` when `overrides.model`, `weave.json`, the environment or the flag gives one.',
  'd8a/model-missing': 'A codon without `model` when nothing else gives one is an error.',
  'd8a/meta-version-warning': 'A `meta.version` that is not a semantic version gives a warning.',
  'd8a/order':
    'The steps run in the order: shape and rules of the file, references on disk, models, credentials, self-tests.',
  'd8a/order-stops': 'A step runs only when the steps before it found no error.',
  'd8a/reports-all': 'Each step reports all problems it finds, not only the first.',
  'd8a/catalogue-fields':
    'The checked-in `models.json` gives each model its id, provider, context window, prices of four token classes, date and source.',
  'd8a/catalogue-home': '`~/.weave/models.json` adds models to the catalogue.',
  'd8a/catalogue-models-file': 'The file named by `modelsFile` of `weave.json` adds models to the catalogue.',
  'd8a/strict-ids': 'A nonsense model id never matches a known model by prefix.',
  'd8a/aliases':
    '`haiku`, `sonnet` and `opus` each resolve to the newest model of the family in the catalogue.',
  'd8a/form-full-id': 'A full model id of the catalogue is accepted.',
  'd8a/form-provider-id': 'A model is accepted as `provider/id`.',
  'd8a/form-pi': '`pi/provider/id` forces the embedded harness.',
  'd8a/form-pi-slashes': 'The id in `pi/provider/id` may contain slashes.',
  'd8a/harness-choice': 'Vendor ids run on the SDK harness and all other ids on the embedded one.',
  'd8a/self-test-distinct': 'There is exactly one self-test per distinct `harness:provider/model`.',
  'd8a/self-test-parallel': 'Self-tests run in parallel.',
  'd8a/self-test-timeout': 'A self-test is given up after 10 s.',
  'd8a/self-test-harness': 'A self-test checks that the harness package loads.',
  'd8a/self-test-credential': 'A self-test checks that a credential is there.',
  'd8a/self-test-vendor':
    'The self-test request to the vendor is `POST /v1/messages/count_tokens` for that model.',
  'd8a/self-test-openai': 'The self-test request to an OpenAI-shaped provider is `GET /v1/models/<id>`.',
  'd8a/self-test-google': 'The self-test request to Google is `GET /v1beta/models/<id>`.',
  'd8a/self-test-openrouter':
    'The self-test for OpenRouter is `GET /api/v1/key` together with a look into the catalogue.',
  'd8a/validate-free': '`--validate` sends no request that costs tokens.',
  'd8a/failure-missing-harness':
    'A harness package that does not load fails as `missing-harness` with its own guidance.',
  'd8a/failure-auth': 'A missing or refused credential fails as `auth` with its own guidance.',
  'd8a/failure-model': 'A model that the provider does not know fails as `model` with its own guidance.',
  'd8a/failure-network': 'An endpoint that does not answer fails as `network` with its own guidance.',
  'd8a/failure-unknown': 'Any other self-test failure is `unknown` with its own guidance.',
  'd8a/flag-skip-self-test':
    '`--skip-self-test` leaves out the self-test request and keeps every other check.',
  'd8a/tree-printed': '`--validate` and a normal start both print the structure of the hank as a tree.',
  'd8a/tree-numbers': 'The tree numbers items `[1]`, `[2]` and codons of a loop `[2.1]`.',
  'd8a/tree-content': 'The tree shows names, models, prompt line counts and budgets.',
  'd8a/tree-before-warnings': 'Warnings are printed after the tree.',

  // d9 Budgets
  'd9/four-token-classes': 'Money counts four token classes at the prices of the catalogue.',
  'd9/final-cost':
    'A total that the harness gives at the end replaces the running sum, by `CodonFinalCostSet`.',
  'd9/unknown-price-shown': 'With an unknown price the cost is unknown and shown as such, never as zero.',
  'd9/unknown-price-warning': 'A dollar limit on a model with an unknown price is a load warning.',
  'd9/ledger-crash': 'Spend is journaled and survives a crash.',
  'd9/ledger-rollback': 'The money of a rolled-back codon stays spent.',
  'd9/ledger-resume': 'Spend of earlier runs counts after a resume.',
  'd9/active-time': 'Wall-clock limits count only time in which the run was active, not parked or idle.',
  'd9/shared': 'With `shared` each child draws from the whole remaining pool.',
  'd9/proportional-limit':
    'With `proportional` the limit of a child is its share of the budget of the container and what earlier children left of theirs.',
  'd9/proportional-returns':
    'With `proportional` what a child does not use returns to the pool for children without a share and later children.',
  'd9/proportional-strict': 'With `proportional-strict` the money a child does not use is gone.',
  'd9/children-without-share':
    'Children without a share draw from what the shares leave, with nothing split in advance.',
  'd9/codon-cap-lowers': 'The own cap of a codon can lower its limit but never raise it.',
  'd9/loop-with-share': 'A loop with a share acts as if it had a loop budget of that size.',
  'd9/checked-at-usage': 'Limits are checked at every usage report.',
  'd9/checked-every-second': 'Limits are checked every second.',
  'd9/breach-names': 'A breach names scope, currency, limit and used.',
  'd9/complete-checkpoint': 'A codon stopped with `complete` has a checkpoint of type `completed`.',
  'd9/complete-status':
    'A codon stopped with `complete` has the status `completed` and `budgetExceeded` set.',
  'd9/complete-summary': 'The headless summary of a codon stopped with `complete` says `stopped by budget`.',
  'd9/fail-reason':
    'A codon stopped with `fail` has `failureReason` `{type: unknown, retriable: false, message: "Budget exceeded: …"}`.',
  'd9/empty-pool-no-start': 'When the pool of a container is empty, its later codons do not start.',
  'd9/empty-pool-complete':
    'With `complete` the later codons of an empty pool are recorded as completed with zero cost and the reason.',
  'd9/empty-pool-fail': 'With `fail` an empty pool fails the run when a later codon is due.',
  'd9/empty-loop-ends': 'A loop whose budget is empty ends and the next item runs.',
  'd9/on-exceeded-nearest': 'The nearest `onExceeded` wins, in the order codon, loop, hank.',
  'd9/on-exceeded-default': 'Without any `onExceeded` the policy is `complete`.',
} as const satisfies RequirementTable
