import type { RequirementTable } from '../requirement.ts'

/** Rules of part 1 and parts 2.1 to 2.7: what the service does, and everything a hank file may hold. */
export const hankFile = {
  // 1 What the service does
  '1/items-run-in-order':
    'Once the file loads, the runner executes codons and loops one after another in file order.',
  '1/hank-is-immutable':
    'The loaded workflow does not change while it runs, even when the file on disk is edited.',
  '1/hank-file-required': 'Starting without a hank file fails.',
  '1/discovery-finds-hank-json-only':
    'When no config path is given, only a file named `hank.json` is discovered.',
  '1/strand-json-explicit-only':
    'A `strand.json` is ignored by discovery but loads when passed as the config path.',
  '1/runtime-file-optional': 'The service starts without a `weave.json`.',
  '1/several-clients':
    'Several WebSocket clients can be connected at once, each sending commands and receiving events.',
  '1/terminal-ui-uses-websocket-api':
    'The built-in terminal UI works through the same WebSocket API as any other client.',
  '1/checkpointed-files-watched': 'Files matched by `checkpointedFiles` are watched for changes.',
  '1/checkpointed-files-streamed':
    'Changes to files matched by `checkpointedFiles` are streamed to the clients.',
  '1/checkpointed-files-versioned': 'Files matched by `checkpointedFiles` are versioned as git checkpoints.',
  '1/rollback-restores-checkpoint': 'A rollback brings back the file contents of an earlier checkpoint.',
  '1/sentinels-observe-in-parallel':
    'Sentinels attached to a codon process the event stream while the codon runs.',
  '1/proxy-disabled-by-default': 'With nothing configured, no LLM proxy is started.',
  '1/proxy-passthrough-only': 'The proxy knows one mode, `passthrough`.',
  '1/proxy-no-caching':
    'The proxy sends every request upstream, also when an identical one was answered before.',
  '1/proxy-no-load-balancing': 'The proxy sends all traffic to one upstream address.',
  '1/validate-spends-no-tokens': '`--validate` checks a hank without running any codon.',

  // 2.1 Hank file root
  '2.1/only-hank-required': 'A root holding nothing but `hank` loads.',
  '2.1/hank-missing': 'A root without `hank` is a load error.',
  '2.1/hank-not-empty': 'An empty `hank` array is a load error.',
  '2.1/hank-items': 'Each item of `hank` is a codon or a loop.',
  '2.1/unknown-root-key': 'A root key outside the listed fields is a load error.',
  '2.1/schema-field-accepted': '`$schema` is an optional string at the root.',
  '2.1/schema-added-on-startup':
    'A missing `$schema` is written into the file at startup with the hank schema address.',
  '2.1/schema-added-on-validate': 'A missing `$schema` is written into the file during `--validate`.',
  '2.1/schema-added-message':
    'Writing the schema reference prints `+ Added $schema to <file> for editor support`.',
  '2.1/schema-present-untouched':
    'A file that already has `$schema` is left as it is and nothing is printed about it.',
  '2.1/meta-name-required': '`meta` without a string `name` is a load error.',
  '2.1/meta-version-required': '`meta` without `version` is a load error.',
  '2.1/meta-version-semantic': '`meta.version` is a string in semantic-version form.',
  '2.1/meta-description-optional': '`meta.description` is an optional string.',
  '2.1/meta-author-optional': '`meta.author` is an optional string.',
  '2.1/requirements-env-type': '`requirements.env` is a list of environment variable names.',
  '2.1/requirements-env-checked-at-startup':
    'A name in `requirements.env` that is not set stops the startup.',
  '2.1/requirements-env-checked-in-validate':
    'A name in `requirements.env` that is not set fails `--validate`.',
  '2.1/requirements-env-plain-name':
    'A required variable is satisfied when a variable of exactly that name is set.',
  '2.1/requirements-env-prefixed-name':
    'A required variable is satisfied by its `WEAVE_`-prefixed form, so `WEAVE_API_KEY` satisfies `API_KEY`.',
  '2.1/global-prompt-file-string-or-list': '`globalSystemPromptFile` takes one path or a list of paths.',
  '2.1/global-prompt-file-all-codons': 'The contents of `globalSystemPromptFile` reach every codon.',
  '2.1/global-prompt-text-all-codons': 'The inline `globalSystemPromptText` reaches every codon.',
  '2.1/global-prompt-exclusive':
    'Giving `globalSystemPromptFile` together with `globalSystemPromptText` is a load error.',
  '2.1/global-prompt-first':
    'The global system prompt comes before the append-system-prompt content of the codon.',
  '2.1/system-prompt-parts-joined':
    'The parts of a system prompt are joined with one blank line between them.',
  '2.1/system-prompt-processed-after-join':
    'Template replacement and comment stripping are applied to the joined system prompt.',
  '2.1/prompt-files-concatenated': 'Several prompt files are concatenated in the order they are listed.',
  '2.1/html-comments-stripped': 'HTML comments are removed from every prompt before the model sees it.',
  '2.1/html-comment-newlines-consumed': 'Newlines directly after a stripped comment are removed with it.',

  // 2.2 Hank overrides
  '2.2/model-fallback': '`overrides.model` is the model of a codon that names none of its own.',
  '2.2/data-hash-time-limit-positive': '`overrides.dataHashTimeLimit` must be a positive number.',
  '2.2/data-hash-time-limit-default': '`overrides.dataHashTimeLimit` defaults to 5000 milliseconds.',
  '2.2/data-hash-time-limit-not-consumed':
    '`overrides.dataHashTimeLimit` is accepted but does not change a normal startup.',
  '2.2/data-hash-time-limit-validate':
    '`--validate` hashes data directories with a limit of 5000 milliseconds.',
  '2.2/sentinel-enable-persistence':
    '`overrides.sentinel.enablePersistence` acts as the runtime setting of that name.',
  '2.2/sentinel-health-check-grace-period':
    '`overrides.sentinel.healthCheckGracePeriodMs` acts as the runtime setting of that name.',
  '2.2/sentinel-wait-for-all-health-checks':
    '`overrides.sentinel.waitForAllHealthChecks` acts as the runtime setting of that name.',
  '2.2/shim-idle-timeout':
    '`overrides.shimIdleTimeout` is an integer that sets the idle limit of codons without their own value.',
  '2.2/budget': '`overrides.budget` accepts a budget object and applies to the whole run.',

  // 2.3 Codon
  '2.3/type-enum': 'Codon `type` accepts only `codon`.',
  '2.3/type-default': 'An item without `type` is read as a codon.',
  '2.3/id-required': 'A codon without `id` is a load error.',
  '2.3/id-not-empty': 'An empty codon `id` is a load error.',
  '2.3/id-unique': 'Two codons with the same `id` are a fatal load error.',
  '2.3/id-used-at-run-time': 'The codon `id` identifies the codon in events and in rollback commands.',
  '2.3/name-required': 'A codon without `name` is a load error.',
  '2.3/name-not-empty': 'An empty codon `name` is a load error.',
  '2.3/name-displayed': 'The codon `name` is what events show as the codon name.',
  '2.3/name-duplicate-warns': 'Two codons with the same `name` load with a warning.',
  '2.3/description-optional': 'Codon `description` is an optional string.',
  '2.3/model-required': 'A codon without `model` is a load error when nothing else supplies one.',
  '2.3/model-not-empty': 'An empty codon `model` is a load error.',
  '2.3/model-unrecognized-suggestions':
    'An unrecognized model fails the load and the message suggests known names.',
  '2.3/continuation-mode-required': 'A codon without `continuationMode` is a load error.',
  '2.3/continuation-mode-enum': '`continuationMode` accepts `fresh` and `continue-previous`.',
  '2.3/continuation-fresh': 'A `fresh` codon starts a new conversation.',
  '2.3/continuation-continue-previous':
    'A `continue-previous` codon continues the session of the previous codon.',
  '2.3/continuation-same-model':
    'A `continue-previous` codon whose model differs from the previous codon is a load error.',
  '2.3/prompt-file-string-or-list': '`promptFile` takes one path or a list of paths.',
  '2.3/prompt-text': '`promptText` is sent to the agent as the prompt.',
  '2.3/prompt-source-required': 'A codon with neither `promptFile` nor `promptText` is a load error.',
  '2.3/prompt-both-accepted': 'A codon with both `promptFile` and `promptText` loads.',
  '2.3/prompt-file-wins': 'When `promptFile` and `promptText` are both present, the file content is sent.',
  '2.3/append-prompt-file-string-or-list': '`appendSystemPromptFile` takes one path or a list of paths.',
  '2.3/append-prompt-file-appended':
    'The contents of `appendSystemPromptFile` are added to the system prompt.',
  '2.3/append-prompt-text-appended': 'The inline `appendSystemPromptText` is added to the system prompt.',
  '2.3/append-prompt-exclusive':
    'Giving `appendSystemPromptFile` together with `appendSystemPromptText` is a load error.',
  '2.3/rig-setup-runs-first': 'The `rigSetup` operations run before the agent of the codon starts.',
  '2.3/rig-setup-failure': 'A failing rig operation fails the codon when its `allowFailure` is not true.',
  '2.3/checkpointed-files-globs': '`checkpointedFiles` is a list of glob patterns.',
  '2.3/checkpointed-files-gitignore': '`checkpointedFiles` patterns match by gitignore rules.',
  '2.3/checkpointed-files-exclusion':
    'A `checkpointedFiles` pattern with a leading `!` excludes what it matches.',
  '2.3/env-type': 'Codon `env` maps strings to strings.',
  '2.3/env-reaches-agent': 'Variables in codon `env` are set in the agent process.',
  '2.3/env-merged-with-system':
    'The agent process keeps the system variables that codon `env` does not name.',
  '2.3/env-codon-wins': 'A codon `env` value replaces a system variable of the same name.',
  '2.3/env-visible-to-rig': 'Rig setup commands see the codon `env` variables.',
  '2.3/output-files-list': '`outputFiles` is an optional list of output file entries.',
  '2.3/sentinels-list': '`sentinels` is an optional list of sentinel attachments.',
  '2.3/archive-moves-after-success':
    'Files matching `archiveOnSuccess` move to `rigArchive/` after the codon succeeds.',
  '2.3/archive-not-after-failure': 'Files matching `archiveOnSuccess` stay in place when the codon fails.',
  '2.3/archive-restored-on-rollback': 'Archived files can be brought back from `rigArchive/` by a rollback.',
  '2.3/on-failure-enum': '`onFailure` accepts `abort`, `retry` and `ignore`.',
  '2.3/on-failure-default': '`onFailure` defaults to `abort`.',
  '2.3/retry-config-only-with-retry': '`retryConfig` without `onFailure` set to `retry` is a load error.',
  '2.3/retry-max-attempts-range': '`retryConfig.maxAttempts` is a number from 1 to 10.',
  '2.3/retry-max-attempts-default': '`retryConfig.maxAttempts` defaults to 3.',
  '2.3/retry-delay-range': '`retryConfig.delayMs` is a number from 0 to 60000.',
  '2.3/retry-delay-default': '`retryConfig.delayMs` defaults to 1000.',
  '2.3/retry-delay-exponential': 'Retry delays grow exponentially starting from `delayMs`.',
  '2.3/retry-max-delay-accepted': '`retryConfig.maxDelayMs` is an accepted field.',
  '2.3/retry-max-delay-caps': 'No computed retry delay is longer than `maxDelayMs`.',
  '2.3/retry-after-hint': 'A retry-after hint from the provider is used instead of the computed delay.',
  '2.3/exhaust-with-prompt':
    '`exhaustWithPrompt` is sent after each successful completion until the context is exhausted.',
  '2.3/max-extensions-type': '`maxExtensions` is an integer above 0.',
  '2.3/max-extensions-default': '`maxExtensions` defaults to 100.',
  '2.3/max-extensions-forces-completion': 'After `maxExtensions` extensions the codon is completed.',
  '2.3/auto-compact-default': '`autoCompact` is a boolean that defaults to false.',
  '2.3/auto-compact-true':
    'With `autoCompact` true the harness may compact the session when the context window fills.',
  '2.3/auto-compact-false': 'With `autoCompact` false the context-overflow error of the provider surfaces.',
  '2.3/shim-idle-timeout-integer': 'Codon `shimIdleTimeout` is an integer above 0.',
  '2.3/shim-idle-timeout-max': 'Codon `shimIdleTimeout` may not exceed 1800.',
  '2.3/shim-idle-timeout-aborts': 'A session with no agent event for `shimIdleTimeout` seconds is aborted.',
  '2.3/shim-idle-timeout-precedence':
    'The codon `shimIdleTimeout` wins over the hank-level and runtime values.',
  '2.3/shim-idle-timeout-sdk-fallback':
    'Without a `shimIdleTimeout`, the SDK harness on vendor models waits 180 seconds.',
  '2.3/shim-idle-timeout-embedded-fallback':
    'Without a `shimIdleTimeout`, other providers through the embedded SDK wait 120 seconds.',
  '2.3/shim-idle-timeout-retriable': 'An idle-timeout abort counts as a retriable failure.',
  '2.3/budget': 'A codon accepts a `budget` object.',

  // 2.4 Rig setup and output files
  '2.4/rig-operation-types': 'A rig setup item is of type `copy` or `command`.',
  '2.4/allow-failure-default': '`allowFailure` is a boolean that defaults to false.',
  '2.4/allow-failure-true': 'With `allowFailure` true a failed rig operation leaves the codon running.',
  '2.4/copy-from-not-hank-directory': '`copy.from` naming the hank directory itself is rejected.',
  '2.4/copy-from-not-hank-directory-spelled':
    '`copy.from` reaching the hank directory through `.` or `sub/..` is rejected.',
  '2.4/copy-from-tree-scanned': 'The whole `copy.from` tree is scanned before the codon starts.',
  '2.4/copy-to-full-target':
    '`copy.to` names the final file or directory, not the directory that receives it.',
  '2.4/copy-to-renames-directory':
    'Copying `./templates/config` to `src` yields a directory named `src` holding the content of `config`.',
  '2.4/copy-to-renames-file': 'Copying a file to a target with another name yields a file of that name.',
  '2.4/command-run': '`command.run` is executed by a shell.',
  '2.4/working-directory-enum': '`command.workingDirectory` accepts `project` and `lastCopied`.',
  '2.4/working-directory-default': '`command.workingDirectory` defaults to `project`.',
  '2.4/working-directory-project': 'A command with `project` runs in the execution directory.',
  '2.4/working-directory-last-copied':
    'A command with `lastCopied` runs in the target of the latest copy operation.',
  '2.4/output-copy-not-empty': 'The `copy` list of an output file entry must hold at least one glob.',
  '2.4/output-copy-selects':
    'Workspace files matching the output `copy` globs are copied to the output directory.',
  '2.4/before-copy-runs-first': '`beforeCopy` commands run before the output files are copied.',
  '2.4/before-copy-workspace':
    '`beforeCopy` commands run in the agent workspace, also when `workingDirectory` is `project`.',
  '2.4/before-copy-needs-output-directory': '`beforeCopy` is skipped when no output directory is configured.',
  '2.4/output-copy-failure-fails-run': 'A failure while copying output files fails the run.',
  '2.4/before-copy-failure-fails-run': 'A failing `beforeCopy` command fails the run.',
  '2.4/output-conflict-renamed':
    'A file that already exists in the output directory is renamed `file_<counter>_<timestamp>.<ext>`.',
  '2.4/overwrite-output':
    'With `--overwrite-output` an existing output file is replaced and nothing is renamed.',
  '2.4/output-directory-not-empty-warns': 'An output directory that is not empty gives a preflight warning.',
  '2.4/output-conflict-limit': 'No more than 100 conflicts are renamed for one file.',
  '2.4/no-output-directory-in-hank': 'A hank file has no field and no default for the output directory.',

  // 2.5 Sentinel attachment
  '2.5/config-path-or-inline': '`sentinelConfig` is a file path or an inline object.',
  '2.5/fail-codon-default': '`settings.failCodonIfNotLoaded` is a boolean that defaults to false.',
  '2.5/fail-codon-false':
    'A sentinel that cannot load leaves the codon running when `failCodonIfNotLoaded` is false.',
  '2.5/fail-codon-true': 'A sentinel that cannot load fails the codon when `failCodonIfNotLoaded` is true.',
  '2.5/log-file-default': 'Without `settings.outputPaths.logFile` the log file path is generated.',
  '2.5/log-file-override': '`settings.outputPaths.logFile` sets where the sentinel log is written.',
  '2.5/last-value-file-default':
    'Without `settings.outputPaths.lastValueFile` the last-value path is generated.',
  '2.5/last-value-file-override':
    '`settings.outputPaths.lastValueFile` sets where the last value is written.',
  '2.5/report-fields':
    '`settings.reportToWebsocket` holds the booleans `lifecycle`, `errors`, `outputs` and `triggers`.',
  '2.5/report-lifecycle':
    '`reportToWebsocket.lifecycle` decides whether load and unload events reach clients.',
  '2.5/report-errors': '`reportToWebsocket.errors` decides whether sentinel error events reach clients.',
  '2.5/report-outputs': '`reportToWebsocket.outputs` decides whether sentinel output events reach clients.',
  '2.5/report-triggers':
    '`reportToWebsocket.triggers` decides whether sentinel trigger events reach clients.',
  '2.5/system-prompt-file-base':
    '`systemPromptFile` in a sentinel configuration file resolves from the directory of that file.',
  '2.5/user-prompt-file-base':
    '`userPromptFile` in a sentinel configuration file resolves from the directory of that file.',
  '2.5/schema-file-base':
    '`structuredOutput.schemaFile` in a sentinel configuration file resolves from the directory of that file.',
  '2.5/references-contained':
    'References in a sentinel configuration file must stay inside the hank directory.',

  // 2.6 Budget object
  '2.6/max-dollars': '`maxDollars` is a number that limits the cost in USD.',
  '2.6/max-dollars-levels': '`maxDollars` is accepted in hank overrides, on a loop and on a codon.',
  '2.6/max-time-seconds': '`maxTimeSeconds` is a number that limits the wall-clock time in seconds.',
  '2.6/max-time-seconds-levels': '`maxTimeSeconds` is accepted in hank overrides, on a loop and on a codon.',
  '2.6/max-output-tokens': '`maxOutputTokens` is a number that limits the generated tokens.',
  '2.6/max-output-tokens-codon-only': '`maxOutputTokens` is accepted on a codon only.',
  '2.6/max-context-tokens':
    '`maxContextTokens` is a number that limits the highest input plus output of one turn.',
  '2.6/max-context-tokens-codon-only': '`maxContextTokens` is accepted on a codon only.',
  '2.6/caps-default': 'Without a cap there is no limit of that kind.',
  '2.6/allocation-enum': '`allocation` accepts `shared`, `proportional` and `proportional-strict`.',
  '2.6/allocation-default': '`allocation` defaults to `shared`.',
  '2.6/allocation-levels': '`allocation` is accepted in hank overrides and on a loop, not on a codon.',
  '2.6/allocation-divides-dollars':
    '`allocation` decides how the dollar budget is divided among the children.',
  '2.6/shares-type': '`shares` maps child ids to numbers from 0 to 1.',
  '2.6/shares-levels': '`shares` is accepted in hank overrides and on a loop, not on a codon.',
  '2.6/shares-need-proportional': '`shares` with the allocation `shared` is an error.',
  '2.6/on-exceeded-enum': '`onExceeded` accepts `complete` and `fail`.',
  '2.6/on-exceeded-default': '`onExceeded` defaults to `complete` at hank level.',
  '2.6/on-exceeded-inherited': 'A codon without `onExceeded` takes the value of its container.',
  '2.6/on-exceeded-codon-wins': 'A codon `onExceeded` overrides the value of its container.',
  '2.6/on-exceeded-levels': '`onExceeded` is accepted in hank overrides, on a loop and on a codon.',
  '2.6/codon-caps-per-iteration': 'Caps of a codon in a loop start over with each iteration.',
  '2.6/loop-budget-over-iterations': 'A loop budget is used up by all iterations together.',
  '2.6/tightest-dollar-ceiling':
    'The global cost ceiling is the lowest of `--max-cost`, the runtime `budget` and the hank overrides.',
  '2.6/tightest-time-ceiling':
    'The global time ceiling is the lowest of `--max-time`, the runtime `budget` and the hank overrides.',

  // 2.7 Loop
  '2.7/type': 'An item is a loop only when its `type` is `loop`.',
  '2.7/id-required': 'A loop without `id`, or with an empty one, is a load error.',
  '2.7/id-unique': 'A loop `id` used twice is a load error.',
  '2.7/name-required': 'A loop without `name`, or with an empty one, is a load error.',
  '2.7/description-optional': 'Loop `description` is an optional string.',
  '2.7/terminate-on-required': 'A loop without `terminateOn` is a load error.',
  '2.7/terminate-on-enum': '`terminateOn.type` accepts `iterationLimit` and `contextExceeded`.',
  '2.7/iteration-limit-integer':
    '`terminateOn.limit` is an integer of at least 1, required with `iterationLimit`.',
  '2.7/codons-required': 'A loop without `codons` is a load error.',
  '2.7/codons-not-empty': 'A loop with an empty `codons` list is a load error.',
  '2.7/no-nested-loops': 'A loop among the `codons` of a loop is a load error.',
  '2.7/budget-optional': 'A loop accepts an optional `budget`.',
  '2.7/archive-once': 'Loop `archiveOnSuccess` files are archived once, when the loop terminates.',
  '2.7/context-exceeded-no-fresh': 'A `fresh` codon inside a `contextExceeded` loop is a load error.',
  '2.7/continue-same-model':
    'A `continue-previous` codon in a loop whose model differs from the preceding codon is a load error.',
  '2.7/fresh-after-context-exceeded':
    'A codon directly after a `contextExceeded` loop that is not `fresh` is a load error.',
  '2.7/iterations-zero-indexed': 'A limit of 5 runs the iterations numbered 0 to 4.',
  '2.7/duplicate-codon-ids': 'Codons of a loop that repeat an `id` are a fatal load error.',
  '2.7/duplicate-codon-names': 'Codons of a loop that repeat a `name` load with a warning.',
} as const satisfies RequirementTable
