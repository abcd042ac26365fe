import type { RequirementTable } from '../requirement.ts'

/** Answers of decisions 1, 2 and 3: names in the real world, the command line, the execution directory. */
export const decisionsOutside = {
  // d1 Names in the real world
  'd1/package-name': 'The published package is named `weave-runtime`.',
  'd1/command-name': 'The package installs a command named `weave`.',
  'd1/product-names':
    'Files and variables carry the product name: `weave.json`, `.weave/` and the prefix `WEAVE_`.',
  'd1/vendor-setting-names':
    'The upstream address of Anthropic is set by `vendorBaseUrl`, `--vendor-base-url` or `WEAVE_RUNTIME_VENDOR_BASE_URL`.',
  'd1/base-url-both-spellings':
    'The vendor address is accepted from outside as `ANTHROPIC_BASE_URL` and as `VENDOR_BASE_URL`.',
  'd1/base-url-precedence':
    'When both are set with different values, `ANTHROPIC_BASE_URL` wins over `VENDOR_BASE_URL`.',
  'd1/base-url-both-set-for-agent':
    'A vendor address that reaches the agent is in its environment as both `ANTHROPIC_BASE_URL` and `VENDOR_BASE_URL`.',
  'd1/api-key-both-spellings':
    'The vendor key is accepted from outside as `ANTHROPIC_API_KEY` and as `VENDOR_API_KEY`.',
  'd1/api-key-precedence':
    'When both are set with different values, `ANTHROPIC_API_KEY` wins over `VENDOR_API_KEY`.',
  'd1/api-key-both-set-for-agent':
    'A vendor key that reaches the agent is in its environment as both `ANTHROPIC_API_KEY` and `VENDOR_API_KEY`.',
  'd1/default-upstream': 'Without any setting the upstream of the proxy is `https://api.anthropic.com`.',
  'd1/sdk-harness': 'The SDK harness drives the Claude Agent SDK.',
  'd1/embedded-harness': 'The embedded-SDK harness drives the Pi coding-agent SDK.',
  'd1/codon-credential-anthropic':
    'Codons on Anthropic models take their credential from `ANTHROPIC_API_KEY`.',
  'd1/codon-credential-openai': 'Codons on OpenAI models take their credential from `OPENAI_API_KEY`.',
  'd1/codon-credential-google':
    'Codons on Google models take their credential from `GOOGLE_API_KEY` or from `GEMINI_API_KEY`.',
  'd1/codon-credential-gemini-wins':
    'When `GOOGLE_API_KEY` and `GEMINI_API_KEY` are both set, `GEMINI_API_KEY` is used.',
  'd1/codon-credential-openrouter':
    'Codons on OpenRouter models take their credential from `OPENROUTER_API_KEY`.',
  'd1/codon-credential-other-providers':
    'A further provider of the embedded SDK works once the variable that provider itself defines is set.',
  'd1/sentinel-credential-anthropic':
    'A sentinel on an Anthropic model prefers `WEAVE_SENTINEL_ANTHROPIC_API_KEY`.',
  'd1/sentinel-credential-openai': 'A sentinel on an OpenAI model prefers `WEAVE_SENTINEL_OPENAI_API_KEY`.',
  'd1/sentinel-credential-google':
    'A sentinel on a Google model prefers `WEAVE_SENTINEL_GOOGLE_API_KEY`, and `WEAVE_SENTINEL_GEMINI_API_KEY` works too.',
  'd1/sentinel-credential-fallback':
    'A sentinel without a `WEAVE_SENTINEL_*` key for its provider falls back to the plain variable of that provider.',
  'd1/endpoint-override-harness':
    'Codon traffic of each provider goes to `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`, `GOOGLE_BASE_URL` or `OPENROUTER_BASE_URL` when set.',
  'd1/endpoint-override-sentinel':
    'Sentinel calls of each provider go to `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`, `GOOGLE_BASE_URL` or `OPENROUTER_BASE_URL` when set.',
  'd1/endpoint-override-self-test':
    'Self-tests of each provider go to `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`, `GOOGLE_BASE_URL` or `OPENROUTER_BASE_URL` when set.',
  'd1/endpoint-override-under-proxy':
    'While the proxy runs, codons on the SDK harness talk to the proxy even when `ANTHROPIC_BASE_URL` is set.',
  'd1/schema-address-hank':
    'The schema address of a hank is `https://unpkg.com/weave-runtime@<version>/schemas/hank.schema.json`.',
  'd1/schema-address-weave':
    'The schema address of `weave.json` is `https://unpkg.com/weave-runtime@<version>/schemas/weave.schema.json`.',
  'd1/schema-address-sentinel':
    'The schema address of a sentinel configuration is `https://unpkg.com/weave-runtime@<version>/schemas/sentinel.schema.json`.',
  'd1/schema-files-shipped': 'The three schema files are part of the published package.',
  'd1/schema-printed': '`weave schema hank` prints exactly the hank schema that ships in the package.',
  'd1/version-start': 'The package version is `0.10.0` or later.',
  'd1/server-version': '`server.ready` reports the version of `package.json` as `serverVersion`.',

  // d2 Command line
  'd2/run-form': '`weave [hank] [data] [options]` runs the hank.',
  'd2/command-form': '`weave <command> …` calls the named command instead of running a hank.',
  'd2/spec-flags':
    'Every flag named in the specification is accepted: `--proxy`, `--without-proxy`, `--vendor-base-url`, `--idle-timeout`, `--validate`, `--overwrite-output`, `--max-cost`, `--max-time`, `--port`, `--model`.',
  'd2/single-argument-json': 'A single argument that ends in `.json` is the hank.',
  'd2/single-argument-hank-directory':
    'A single argument that is a directory holding `hank.json` is the hank.',
  'd2/single-argument-packed-hank': 'A single argument that is a packed hank is the hank.',
  'd2/single-argument-data': 'A single argument that is none of the hank forms is the data.',
  'd2/two-arguments': 'Of two arguments the first is the hank and the second the data.',
  'd2/default-hank-working-directory': 'Without a hank argument `./hank.json` is used when it exists.',
  'd2/default-hank-in-data': 'Without a hank argument and without `./hank.json`, `<data>/hank.json` is used.',
  'd2/no-data': 'Without data nothing is linked and `read_only_data_source` is an empty directory.',
  'd2/data-from-stdin': 'The data argument `-` reads the data from stdin.',
  'd2/data-from-input-flag': '`--input <text>` uses the given text as data.',
  'd2/inline-data-stored-by-hash':
    'Data from stdin or `--input` is stored by content hash under `~/.weave/inputs/`.',
  'd2/flag-with-space': 'A flag takes its value as the next argument (`--flag value`).',
  'd2/flag-with-equals': 'A flag takes its value after an equals sign (`--flag=value`).',
  'd2/unknown-flag-suggestion': 'An unknown flag gives an error that suggests a known flag.',
  'd2/unknown-flag-exit': 'An unknown flag ends the program with exit code 2.',
  'd2/mode-terminal': 'With stdout on a TTY and no `--headless` the terminal UI is shown.',
  'd2/mode-no-terminal': 'With stdout not on a TTY the run is headless.',
  'd2/flag-headless': '`--headless` forces a headless run on a TTY.',
  'd2/headless-starts-itself': 'A headless run starts the hank by itself.',
  'd2/headless-plain-lines': 'A headless run prints one plain line for each important event.',
  'd2/headless-json-lines':
    'With `--json` a headless run prints each journaled event as one JSON line and no plain lines.',
  'd2/headless-exits-at-end': 'A headless run exits when the hank ends.',
  'd2/flag-keep-alive': '`--keep-alive` keeps the server reachable after the hank has ended.',
  'd2/autostart-default': '`autostart` is true unless configured otherwise.',
  'd2/autostart-on-first-handshake':
    'With `autostart` the hank starts when the first client completes its handshake, not before.',
  'd2/autostart-headless': 'With `autostart` a headless run starts at once, without any client.',
  'd2/flag-no-autostart':
    'With `--no-autostart` no codon starts until a client sends `codon.next` or `codon.start`.',
  'd2/flag-execution': '`-e <dir>` and `--execution <dir>` use or resume exactly that execution directory.',
  'd2/flag-start-new':
    '`-n` and `--start-new` create a new execution although earlier ones of the same hank and data exist.',
  'd2/flag-force':
    '`--force` with `--start-new -e <dir>` allows the reuse of a directory that already has `.weave/`.',
  'd2/force-required':
    '`--start-new -e <dir>` without `--force` refuses a directory that already has `.weave/`.',
  'd2/force-keeps-backup': '`--force` keeps the old `.weave/` as `.weave.backup-<timestamp>`.',
  'd2/force-empties-workspace': '`--force` empties the agent workspace.',
  'd2/flag-no-wipe': '`--force` together with `--no-wipe` leaves the files of the agent workspace in place.',
  'd2/flag-copy': '`--copy` copies the data into the execution instead of linking it.',
  'd2/flag-output': '`-o <dir>` and `--output <dir>` set `outputDirectory`.',
  'd2/flag-model': '`-m` is the short form of `--model`.',
  'd2/flag-ignore-rig-failures':
    '`--ignore-rig-failures` treats every rig operation as having `allowFailure: true`.',
  'd2/flag-shim-idle-timeout':
    '`--shim-idle-timeout <s>` sets the runtime-wide default of `shimIdleTimeout`.',
  'd2/flag-yes': '`-y` and `--yes` answer every confirmation with yes.',
  'd2/confirmation-without-terminal':
    'Without a TTY and without `-y` a needed confirmation fails with a message that names `-y`.',
  'd2/flag-log-level': '`--log-level` sets the log level.',
  'd2/flag-no-color': '`--no-color` prints without colour codes.',
  'd2/flag-version': '`--version` prints the version and exits 0.',
  'd2/flag-help': '`-h` prints the help and exits 0.',
  'd2/command-init': '`weave init [dir]` writes a hank that runs offline at once, without any change.',
  'd2/command-validate': '`weave validate` does the same as `--validate`.',
  'd2/command-attach':
    '`weave attach [execution]` opens the terminal UI on a running server, whose port it reads from the lock file.',
  'd2/attach-readonly': '`weave attach` connects in `readonly` mode.',
  'd2/attach-quit': 'The key `q` in `weave attach` leaves the server running.',
  'd2/command-list': '`weave list` lists the executions with hank, data, status, cost and age.',
  'd2/command-journal': '`weave journal` is a command of the program.',
  'd2/command-checkpoints': '`weave checkpoints` is a command of the program.',
  'd2/command-diff': '`weave diff` is a command of the program.',
  'd2/command-rollback': '`weave rollback` is a command of the program.',
  'd2/command-report': '`weave report` is a command of the program.',
  'd2/command-rehearse': '`weave rehearse` is a command of the program.',
  'd2/command-replay': '`weave replay` is a command of the program.',
  'd2/command-gc': '`weave gc` is a command of the program.',
  'd2/command-schema': '`weave schema` is a command of the program.',
  'd2/command-models': '`weave models` is a command of the program.',
  'd2/command-doctor': '`weave doctor` is a command of the program.',
  'd2/help-is-honest': '`--help` lists only commands that exist and work.',
  'd2/exit-0-completed': 'The exit code is 0 when the hank completed.',
  'd2/exit-0-nothing-left': 'The exit code is 0 when nothing is left to do.',
  'd2/exit-0-validation-passed': 'The exit code is 0 when validation passed.',
  'd2/exit-0-client-shutdown': 'The exit code is 0 when a client asked for the shutdown.',
  'd2/exit-1-run-failed': 'The exit code is 1 when the run failed.',
  'd2/exit-1-invalid-configuration': 'The exit code is 1 when the configuration is invalid.',
  'd2/exit-2-usage': 'The exit code is 2 on wrong usage.',
  'd2/exit-130-sigint': 'The exit code is 130 when SIGINT ended the program before the hank was done.',
  'd2/exit-143-sigterm': 'The exit code is 143 when SIGTERM ended the program before the hank was done.',
  'd2/first-signal-graceful': 'The first signal starts a graceful shutdown.',
  'd2/second-signal-at-once': 'The second signal ends the program at once.',
  'd2/shutdown-step-limit': 'A shutdown step that hangs is cut off after 30 s.',

  // d3 Execution directory
  'd3/directory-name':
    'An execution directory is `<executionBaseDir>/<slug>-<yyyymmdd-hhmmss>-<6 hex digits of the data hash>`.',
  'd3/directory-slug':
    'The slug of an execution directory comes from the hank name, or from the file stem when the hank has no name.',
  'd3/agent-root':
    '`agentRoot/` is the working directory of the agent and the git work tree of the checkpoints.',
  'd3/data-link': '`agentRoot/read_only_data_source` is a link to the data directory.',
  'd3/data-link-single-file':
    'When the data is a file, `read_only_data_source` is a real directory that holds one link.',
  'd3/codon-archive': 'Files archived for a codon are under `rigArchive/<runtimeId>/`.',
  'd3/codon-archive-iteration': 'In the archive directory name of a loop iteration `#` is written as `-`.',
  'd3/loop-archive': 'Files archived for a loop are under `rigArchive/<loopId>/`.',
  'd3/lock-only-while-alive': '`.weave/lock.json` exists while a server lives and is gone after a clean end.',
  'd3/execution-file': '`.weave/execution.json` says what the execution is.',
  'd3/state-file': '`.weave/state.json` holds a snapshot of the state.',
  'd3/journal-directory': '`.weave/journal/` holds events, blobs and index.',
  'd3/checkpoint-directory':
    '`.weave/checkpoints/` is a git directory with its own configuration, apart from any repository of the user.',
  'd3/session-log':
    '`.weave/sessions/<runId>/<runtimeId>.jsonl` holds the raw harness messages, one JSON value per line.',
  'd3/server-log': 'The server log is `.weave/logs/server.log`.',
  'd3/sentinel-directory': 'Files of a sentinel are under `.weave/sentinels/<sentinelId>/`.',
  'd3/archive-manifest': '`.weave/archive.json` is the manifest of the archived files.',
  'd3/internals-out-of-sight':
    '`.weave/` and `rigArchive/` lie outside `agentRoot`, so no path below the working directory of the agent leads there.',
  'd3/execution-file-fields':
    '`execution.json` has `version`, `hankPath`, `hankHash`, `hankName`, `dataPath`, `dataHash`, `linkType`, `createdAt`, `lastUsed`, `weaveVersion`, `node` and `platform`.',
  'd3/hank-hash': '`hankHash` is a SHA-256 of the hank that does not change when only `$schema` does.',
  'd3/link-type': '`linkType` is `symlink`, `copy` or `none`.',
  'd3/data-hash':
    'The data hash is SHA-256 over sorted lines of the form `type:relative path:size:mtime(s)`.',
  'd3/data-hash-limit-boundary': 'When `dataHashTimeLimit` runs out, the walk stops at a directory boundary.',
  'd3/data-hash-limit-partial': 'A hash whose walk ran out of time says `partial`.',
  'd3/data-hash-limit-warning': 'A hash whose walk ran out of time makes the program print a warning.',
  'd3/resume-newest':
    'Without `--start-new` and `-e` the newest execution with the same hank path and data hash is resumed.',
  'd3/resume-complete-message':
    'Resuming a complete execution prints that nothing is left to do and names `--start-new`.',
  'd3/resume-complete-exit': 'Resuming a complete execution runs no codon and exits 0.',
  'd3/resume-changed-hank-asks': 'On a TTY, resuming after the hank file changed asks for confirmation.',
  'd3/resume-changed-hank-fails':
    'Without a TTY and without `-y`, resuming after the hank file changed fails.',
  'd3/resume-changed-hank-yes': 'With `-y`, resuming after the hank file changed goes on without a question.',
  'd3/resume-frozen-plan': 'A resumed execution uses the plan it was created with, not the changed hank.',
  'd3/resume-prompt-files-anew': 'Prompt files are read again at each codon start, also after a resume.',
  'd3/plan-journaled':
    'The plan with resolved codons, models, prices and timeouts is in the journal from the creation of the execution on.',
  'd3/lock-fields':
    '`lock.json` has `pid`, `pidStartTime`, `runId`, `startTime`, `lastHeartbeat`, `port` and optionally `proxyPort` and `token`.',
  'd3/lock-heartbeat': '`lastHeartbeat` of the lock is renewed every 5 s.',
  'd3/lock-stale-pid-gone': 'A lock whose pid no longer exists is stale.',
  'd3/lock-stale-pid-reused': 'A lock whose pid has another start time than `pidStartTime` is stale.',
  'd3/lock-stale-heartbeat': 'A lock with a heartbeat older than 60 s and a pid that is not ours is stale.',
  'd3/lock-live-kept': 'A lock that is not stale is never taken.',
  'd3/lock-takeover-atomic': 'When two servers race for a stale lock exactly one gets it.',
  'd3/lock-holder-named': 'A server that does not get the lock says who holds it.',
  'd3/config-beside-hank': '`weave.json` is looked for beside the hank first.',
  'd3/config-working-directory':
    'Without a `weave.json` beside the hank, the one in the working directory is used.',
  'd3/config-flag': '`--runtime-config <file>` names the runtime configuration file to use.',
  'd3/config-unknown-key':
    'An unknown key in `weave.json` is an error that names the key and helps like an unknown field of a hank.',
  'd3/config-wrong-type':
    'A value of the wrong type in `weave.json` is an error that names the key and what is expected.',
  'd3/config-key-schema': '`weave.json` accepts `$schema`.',
  'd3/config-key-show-costs': '`weave.json` accepts `showCosts`.',
  'd3/config-key-shim-idle-timeout': '`weave.json` accepts `shimIdleTimeout` as the runtime-wide default.',
  'd3/config-key-ignore-rig-failures': '`weave.json` accepts `ignoreRigFailures`.',
  'd3/config-key-models-file': '`weave.json` accepts `modelsFile`.',
  'd3/config-key-readonly-only': '`weave.json` accepts `readonlyOnly`.',
  'd3/config-key-telemetry-endpoint': '`weave.json` accepts `telemetry.endpoint`.',
  'd3/config-port-range': '`port` is accepted from 0 to 65535 and refused outside.',
  'd3/config-integers': 'Numbers of `weave.json` must be integers, except amounts of money.',
  'd3/overrides-limited':
    'The `overrides` of a hank accept only the keys listed in part 2.2 of the specification.',
  'd3/overrides-above-config': 'For the keys it may set, `overrides` of the hank wins over `weave.json`.',
} as const satisfies RequirementTable
