import type { RequirementTable } from '../requirement.ts'

/** Answers of decisions 10, 12 and 13: sentinels, safety, rehearsal. */
export const decisionsObserversAndSafety = {
  // d10 Sentinels: the configuration file
  'd10/strict': 'An unknown key in a sentinel configuration is a load error.',
  'd10/id-pattern': 'A sentinel `id` is required and matches `[a-z0-9-]+`.',
  'd10/name': 'A sentinel `name` is required.',
  'd10/description': 'A sentinel `description` is optional.',
  'd10/model': 'A sentinel `model` is required and resolved like the model of a codon.',
  'd10/trigger-required': 'A sentinel `trigger` is required and its `type` is `event` or `sequence`.',
  'd10/trigger-event':
    'An `event` trigger is `{type: "event", on: […], conditions?: […]}` and fires on events whose type is in `on`.',
  'd10/trigger-event-all': 'The value `*` in `on` stands for all events.',
  'd10/trigger-sequence':
    'A `sequence` trigger is `{type: "sequence", interestFilter: {on: […]}, pattern: [{type, conditions?}…], options?}` and fires when the pattern occurs.',
  'd10/trigger-sequence-consecutive': '`options.consecutive` of a sequence trigger defaults to false.',
  'd10/execution-required':
    'A sentinel `execution` is required and its `strategy` is `immediate`, `debounce`, `count` or `timeWindow`.',
  'd10/execution-immediate': 'Strategy `immediate` runs the sentinel for each trigger.',
  'd10/execution-debounce': 'Strategy `debounce` takes `milliseconds` from 1 to 300000.',
  'd10/execution-count': 'Strategy `count` takes `threshold` from 1 to 1000.',
  'd10/execution-time-window': 'Strategy `timeWindow` takes `milliseconds` from 1 to 3600000.',
  'd10/user-prompt-required': 'A sentinel needs `userPromptFile` or `userPromptText`.',
  'd10/user-prompt-exclusive': '`userPromptFile` together with `userPromptText` is an error.',
  'd10/system-prompt-exclusive': '`systemPromptFile` together with `systemPromptText` is an error.',
  'd10/conversational-system-prompt': '`conversational` without a system prompt is an error.',
  'd10/conversational-max-turns': '`trimmingStrategy` of type `maxTurns` takes `maxTurns` from 1 to 100.',
  'd10/conversational-max-tokens':
    '`trimmingStrategy` of type `maxTokens` takes `maxTokens` from 1 to 100000.',
  'd10/conversational-continue-on-error': '`conversational` accepts an optional `continueOnError`.',
  'd10/structured-output-kinds': '`structuredOutput.output` is `object`, `array` or `enum`.',
  'd10/structured-output-keys':
    '`structuredOutput` accepts `schema`, `schemaFile`, `schemaStr`, `enumValues`, `schemaName` and `schemaDescription` beside `output`.',
  'd10/structured-output-json-schema':
    '`schema` and `schemaFile` are JSON Schema, and no code in them is evaluated.',
  'd10/output-format': '`output.format` is `text` or `jsonl`.',
  'd10/output-files': '`output` accepts `file` and `lastValueFile`.',
  'd10/output-not-with-structured': '`output.format` together with `structuredOutput` is an error.',
  'd10/structured-output-json-lines': 'Structured output is always written as JSON lines.',
  'd10/join-string-text-only': '`joinString` is allowed for text output only.',
  'd10/join-string-default': '`joinString` defaults to `\\n---\\n`.',
  'd10/llm-temperature': '`llmParams.temperature` is from 0 to 2 and defaults to 0.',
  'd10/llm-max-output-tokens': '`llmParams.maxOutputTokens` is from 1 to 100000 and defaults to 8192.',
  'd10/llm-max-retries': '`llmParams.maxRetries` is from 0 to 5 and defaults to 2.',
  'd10/max-consecutive-failures': '`errorHandling.maxConsecutiveFailures` is at least 1 and defaults to 3.',
  'd10/unload-on-fatal-error': '`errorHandling.unloadOnFatalError` defaults to true.',
  'd10/report-defaults-on': '`reportToWebsocket.lifecycle`, `errors` and `outputs` default to true.',
  'd10/report-triggers-default': '`reportToWebsocket.triggers` defaults to false.',
  'd10/report-settings-override':
    '`reportToWebsocket` in the `settings` of a codon overrides that of the sentinel configuration.',
  'd10/condition-shape':
    'A condition is `{operator, path, value}` with a dotted path into the `data` of the event.',
  'd10/condition-operators':
    'The operators are `equals`, `notEquals`, `in`, `notIn`, `contains`, `matches`, `greaterThan` and `lessThan`.',
  'd10/condition-missing-path':
    'A missing path is true for `notEquals` and `notIn` and false for every other operator.',
  'd10/condition-matches-bounded': 'No pattern and no text can make `matches` hang the server.',
  'd10/template-print': 'In a prompt `<%= … %>` prints the value of a JavaScript expression.',
  'd10/template-control': 'In a prompt `<% … %>` holds JavaScript control flow such as `for`.',
  'd10/template-events': 'A template sees the events as `it.events`.',
  'd10/template-codon': 'A template sees the codon as `it.codon` `{id, name, description, startTime}`.',
  'd10/template-current-time': 'A template sees the time as `it.world.currentTime`.',
  'd10/template-isolated': 'A template cannot reach `require`, `process`, the network or files.',
  'd10/template-time-limit': 'A template that runs without end is stopped by a time limit.',
  'd10/template-memory-limit': 'A template that allocates without end is stopped by a memory limit.',
  'd10/queue-serial': 'Each sentinel has one queue and works on one trigger at a time.',
  'd10/queue-parallel': 'Different sentinels work in parallel.',
  'd10/queue-limit': 'At most 100 triggers of a sentinel wait.',
  'd10/queue-drops-oldest': 'A full queue drops the oldest trigger, counts it and says so.',
  'd10/end-flushes': 'At codon end pending batches are flushed.',
  'd10/end-waits': 'At codon end the queue is awaited in status `completing-sentinels` for at most 60 s.',
  'd10/end-unloads':
    'After the queue is done or given up, `sentinel.unloaded` is sent with reason `codon-complete`.',
  'd10/codon-completed-reaches': '`codon.completed` reaches sentinels that listen for it.',
  'd10/sentinel-events-ignored': '`sentinel.*` events trigger no sentinel.',
  'd10/never-slows-agent': 'Routing an event to a sentinel awaits nothing on the path of the codon.',
  'd10/path-settings-first':
    'The paths of `settings.outputPaths` of the codon win over `output.*` of the sentinel.',
  'd10/path-default':
    'Without any path the output goes to `.weave/sentinels/<id>/<runtimeId>.md` or `.jsonl`.',
  'd10/path-with-slash': 'An output path with `/` lies inside `agentRoot`.',
  'd10/path-bare-name': 'A bare output name lies inside `.weave/sentinels/<id>/`.',
  'd10/path-escape': 'An output path that leaves its directory is a load error.',
  'd10/health-check': 'At server start there is one small call per distinct sentinel model.',
  'd10/health-check-grace': 'A codon waits for health checks at most `healthCheckGracePeriodMs`.',
  'd10/health-check-failed': 'A sentinel whose health check failed is not loaded.',
  'd10/health-check-fails-codon':
    'With `failCodonIfNotLoaded` a failed health check fails the codon with `sentinel-load-failure`.',
  'd10/money-separate': 'The money spent by sentinels is listed separately.',
  'd10/money-counts': 'The money spent by sentinels counts against dollar budgets at hank level.',

  // d12 Safety that does not change a message
  'd12/listen-loopback': 'The server listens only on `127.0.0.1` and, when available, `::1`.',
  'd12/host-needs-token': '`--host` without `--token` is refused.',
  'd12/host-warns': '`--host` prints a warning.',
  'd12/host-header': 'An upgrade request whose `Host` is not a loopback name or address is refused.',
  'd12/origin-header': 'An upgrade request with an `Origin` other than that of the dashboard is refused.',
  'd12/no-origin': 'An upgrade request without `Origin` is accepted.',
  'd12/token-handshake': 'With `--token` a handshake without the right token is refused.',
  'd12/token-dashboard': 'With `--token` the dashboard is not served without the right token.',
  'd12/token-variable': '`WEAVE_TOKEN` sets the token like `--token`.',
  'd12/token-off': 'On loopback no token is needed by default.',
  'd12/secret-variables':
    'Values of variables named like `*_API_KEY`, `*_TOKEN`, `*_SECRET` or `*PASSWORD*` are redacted from 8 characters on.',
  'd12/secret-patterns': 'Text that fits a common key pattern is redacted.',
  'd12/secret-replacement': 'A redacted secret is replaced by `[redacted:NAME]`.',
  'd12/secret-journal': 'No secret value reaches the journal.',
  'd12/secret-log': 'No secret value reaches a log.',
  'd12/secret-socket': 'No secret value reaches the socket.',
  'd12/secret-sentinel-prompt': 'No secret value reaches a sentinel prompt.',
  'd12/secret-telemetry': 'No secret value reaches telemetry.',
  'd12/secret-chunk-borders': 'A secret split over a chunk border is redacted too.',
  'd12/proxy-log-fields': 'The proxy logs `model`, `max_tokens` and `stream` of a messages request.',
  'd12/proxy-log-messages':
    'Of `messages` the proxy logs the count, the roles and the first 200 characters of the last one.',
  'd12/proxy-log-full-bodies': 'The proxy logs full bodies only at `--log-level debug`.',
  'd12/proxy-unchanged': 'The proxy strips nothing from and adds nothing to what travels through it.',
  'd12/proxy-hop-by-hop': 'The proxy keeps the rules for hop-by-hop headers.',
  'd12/proxy-only-upstream': 'The proxy forwards to no host but the upstream.',
  'd12/telemetry-no-address': 'Without `telemetry.endpoint` nothing leaves the machine as telemetry.',
  'd12/telemetry-switches':
    'With `telemetry.endpoint` set, telemetry still obeys `telemetry.enabled`, `DO_NOT_TRACK=1`, `WEAVE_TELEMETRY=0` and CI detection.',

  // d13 Rehearsal: a whole run without a token
  'd13/command': '`weave rehearse [hank] [data] [--script <file>]` takes every flag of a run.',
  'd13/all-endpoints-local':
    'In a rehearsal the endpoint of every provider is the scripted model server on loopback, and no request leaves the machine.',
  'd13/placeholder-credentials': 'In a rehearsal every credential is a placeholder and no real key is used.',
  'd13/rest-is-real':
    'In a rehearsal harness SDKs, their tools, files, rigs, checkpoints, budgets, sentinels and the control socket are real.',
  'd13/proxy-is-real':
    'In a rehearsal with the proxy enabled the traffic of the SDK harness goes through it.',
  'd13/marked-on-screen': 'The screen says that the run is a rehearsal.',
  'd13/marked-in-ready': '`server.ready` says that the run is a rehearsal.',
  'd13/costs-simulated': 'Costs of a rehearsal are marked as simulated.',
  'd13/not-resumed-by-real': 'A real run never resumes the execution of a rehearsal.',
  'd13/real-not-resumed': 'A rehearsal never resumes the execution of a real run.',
  'd13/key-codon':
    'The placeholder key of a codon is `rehearsal-<runtimeId>`, and its requests get the steps of that codon in every dialect.',
  'd13/key-sentinel':
    'The placeholder key of a sentinel is `rehearsal-sentinel-<id>`, and its requests get the outputs of that sentinel.',
  'd13/key-through-proxy': 'Requests that come through the proxy are matched to their codon as well.',
  'd13/script-default': 'Without `--script`, `rehearsal.json` beside the hank is the script.',
  'd13/script-flag': '`--script <file>` names the script.',
  'd13/script-strict': 'An unknown key in the script is an error.',
  'd13/script-schema': 'The schema of the script is published like the other three.',
  'd13/script-codon-steps': 'The script gives the steps of a codon under its id in `codons`.',
  'd13/script-iteration-steps': 'Steps under a runtime id such as `review#1` apply to that iteration only.',
  'd13/script-any-codon': 'Steps under `*` apply to codons without steps of their own.',
  'd13/script-sentinels':
    'The script gives the outputs of a sentinel, in order, under its id in `sentinels`.',
  'd13/one-step-per-request': 'Each model request takes one step of the script.',
  'd13/step-use-tools': 'A `use` step calls one of `read`, `write`, `edit` and `bash`.',
  'd13/step-use-translated':
    'The tool name and input of a `use` step are translated to those of each harness.',
  'd13/step-say': 'A `say` step answers with that text.',
  'd13/step-think': 'A `think` step answers with that text as thinking.',
  'd13/step-fail': 'A `fail` step answers with an error by its `status`, `message` and `retryAfter`.',
  'd13/step-overflow': 'An `overflow` step answers with a context overflow.',
  'd13/step-hang': 'A `hang` step leaves the request without an answer for that many seconds.',
  'd13/step-drop': 'A `drop` step cuts the connection.',
  'd13/step-wait': 'A `wait` step waits that many milliseconds before answering.',
  'd13/step-usage': '`usage` with `input` and `output` on any step sets the tokens that the answer reports.',
  'd13/steps-run-out':
    'When the steps run out the last `say` repeats; a list that ends with `fail` goes on failing.',
  'd13/steps-go-on-exhaust': '`exhaustWithPrompt` turns go on in the same list of steps.',
  'd13/steps-go-on-retry': 'Retries go on in the same list of steps.',
  'd13/no-script':
    'Without a script a codon writes the first lines of its prompt to `rehearsal/<runtimeId>.md` and says so.',
  'd13/strict-missing-steps': 'With `--strict` a codon without steps in the script fails the rehearsal.',
  'd13/strict-left-over-steps': 'With `--strict` steps left over fail the rehearsal.',
} as const satisfies RequirementTable
