import type { RequirementTable } from '../requirement.ts'

/** Rules of parts 2.8 and 2.9: the runtime configuration file and the environment. */
export const settings = {
  // 2.8 Runtime configuration
  '2.8/port-default': 'The WebSocket `port` is a number that defaults to 0.',
  '2.8/port-zero': 'With `port` 0 the operating system chooses the port.',
  '2.8/port-fixed': 'With another `port` the server listens on exactly that port.',
  '2.8/autostart-default': '`autostart` is a boolean that defaults to true.',
  '2.8/autostart-true': 'With `autostart` true the hank starts when a client connects.',
  '2.8/autostart-false': 'With `autostart` false a connecting client does not start the hank.',
  '2.8/without-proxy-default': '`withoutProxy` is a boolean that defaults to true.',
  '2.8/without-proxy':
    'The LLM proxy is bypassed with `withoutProxy` true and runs with `withoutProxy` false.',
  '2.8/idle-timeout-range': '`idleTimeout` is a number of seconds from 0 to 255.',
  '2.8/idle-timeout-default': '`idleTimeout` defaults to 0.',
  '2.8/idle-timeout-zero': 'With `idleTimeout` 0 a silent connection stays open.',
  '2.8/idle-timeout-closes': 'With an `idleTimeout` above 0 a connection idle for that long is closed.',
  '2.8/model-default': 'The runtime `model` is a string without a default.',
  '2.8/vendor-base-url':
    '`vendorBaseUrl` is a string without a default that sets the upstream address of the proxy.',
  '2.8/output-directory-default': '`outputDirectory` defaults to `weave-results`.',
  '2.8/output-directory-base': '`outputDirectory` is relative to the working directory.',
  '2.8/execution-base-dir-default': '`executionBaseDir` defaults to `~/.weave-executions`.',
  '2.8/execution-base-dir-used': 'Temporary execution environments are created under `executionBaseDir`.',
  '2.8/log-parsing-interval-default': '`logParsingInterval` is a number that defaults to 1000 milliseconds.',
  '2.8/data-hash-time-limit-default':
    'The runtime `dataHashTimeLimit` is a number that defaults to 5000 milliseconds.',
  '2.8/budget-max-dollars':
    '`budget.maxDollars` is a cost ceiling in USD for the whole run, without a default.',
  '2.8/budget-max-dollars-flag': '`--max-cost` overrides the runtime `budget.maxDollars`.',
  '2.8/budget-max-time-seconds':
    '`budget.maxTimeSeconds` is a time ceiling for the whole run, without a default.',
  '2.8/budget-max-time-seconds-flag': '`--max-time` overrides the runtime `budget.maxTimeSeconds`.',
  '2.8/sentinel-persistence-default': '`sentinel.enablePersistence` is a boolean that defaults to true.',
  '2.8/sentinel-persistence-saves':
    'With `sentinel.enablePersistence` true sentinel outputs are saved to disk.',
  '2.8/sentinel-persistence-off':
    'With `sentinel.enablePersistence` false no sentinel output is saved to disk.',
  '2.8/sentinel-grace-period-default':
    '`sentinel.healthCheckGracePeriodMs` is a number that defaults to 2000.',
  '2.8/sentinel-wait-default': '`sentinel.waitForAllHealthChecks` is a boolean that defaults to false.',
  '2.8/sentinel-wait-blocks':
    'With `sentinel.waitForAllHealthChecks` true execution waits until every health check has finished.',
  '2.8/telemetry-enabled-default': '`telemetry.enabled` is a boolean that defaults to true.',
  '2.8/telemetry-anonymous': 'Telemetry payloads hold anonymous usage data only.',
  '2.8/telemetry-do-not-track': '`DO_NOT_TRACK=1` turns telemetry off.',
  '2.8/telemetry-variable': '`WEAVE_TELEMETRY=0` turns telemetry off.',
  '2.8/telemetry-off-in-ci': 'Telemetry is off in CI without being configured.',
  '2.8/telemetry-debug-default': '`telemetry.debug` is a boolean that defaults to false.',
  '2.8/telemetry-debug-console': 'With `telemetry.debug` true payloads are printed to the console.',
  '2.8/telemetry-debug-file':
    'With `telemetry.debug` true payloads are written to `~/.weave/telemetry-debug.jsonl`.',
  '2.8/model-override-flag': 'A model given on the command line replaces the model of every codon.',
  '2.8/model-override-environment':
    'A model given by environment variable replaces the model of every codon.',
  '2.8/model-override-file': 'A model given in the runtime file replaces the model of every codon.',
  '2.8/model-hank-overrides-fallback':
    'A model in hank overrides does not replace a model that a codon names.',
  '2.8/layer-cli-first': 'A command-line argument wins over every other configuration layer.',
  '2.8/layer-environment-second': 'A `WEAVE_RUNTIME_*` variable wins over hank overrides.',
  '2.8/layer-hank-overrides-third': 'Hank overrides win over the runtime file.',
  '2.8/layer-runtime-file-fourth': 'The runtime file wins over the built-in defaults.',
  '2.8/layers-deep-merged': 'Nested objects are merged key by key across the layers.',

  // 2.9 Environment variables
  '2.9/name-mapping':
    'A variable maps to a field by dropping `WEAVE_RUNTIME_` and turning SNAKE_CASE into camelCase.',
  '2.9/port': '`WEAVE_RUNTIME_PORT` sets `port` as a number.',
  '2.9/model': '`WEAVE_RUNTIME_MODEL` sets `model` as a string.',
  '2.9/autostart': '`WEAVE_RUNTIME_AUTOSTART` sets `autostart` as a boolean.',
  '2.9/without-proxy': '`WEAVE_RUNTIME_WITHOUT_PROXY` sets `withoutProxy` as a boolean.',
  '2.9/vendor-base-url': '`WEAVE_RUNTIME_VENDOR_BASE_URL` sets `vendorBaseUrl` as a string.',
  '2.9/output-directory': '`WEAVE_RUNTIME_OUTPUT_DIRECTORY` sets `outputDirectory` as a string.',
  '2.9/execution-base-dir': '`WEAVE_RUNTIME_EXECUTION_BASE_DIR` sets `executionBaseDir` as a string.',
  '2.9/log-parsing-interval': '`WEAVE_RUNTIME_LOG_PARSING_INTERVAL` sets `logParsingInterval` as a number.',
  '2.9/data-hash-time-limit': '`WEAVE_RUNTIME_DATA_HASH_TIME_LIMIT` sets `dataHashTimeLimit` as a number.',
  '2.9/idle-timeout': '`WEAVE_RUNTIME_IDLE_TIMEOUT` sets `idleTimeout` as a number.',
  '2.9/show-costs-default': 'The terminal UI hides cost and token totals unless told otherwise.',
  '2.9/show-costs':
    '`WEAVE_RUNTIME_SHOW_COSTS` set to `1` or `true` makes the terminal UI show cost and token totals.',
  '2.9/show-costs-no-field': '`WEAVE_RUNTIME_SHOW_COSTS` corresponds to no field of the runtime file.',
  '2.9/sentinel-enable-persistence':
    '`WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE` sets `sentinel.enablePersistence` as a boolean.',
  '2.9/sentinel-health-check-grace-period':
    '`WEAVE_RUNTIME_SENTINEL_HEALTH_CHECK_GRACE_PERIOD_MS` sets `sentinel.healthCheckGracePeriodMs` as a number.',
  '2.9/sentinel-wait-for-all-health-checks':
    '`WEAVE_RUNTIME_SENTINEL_WAIT_FOR_ALL_HEALTH_CHECKS` sets `sentinel.waitForAllHealthChecks` as a boolean.',
  '2.9/boolean-true-values': 'A boolean variable is true for exactly `true` and `1`.',
  '2.9/boolean-other-values': 'A boolean variable is false for any other non-empty value, such as `false`.',
  '2.9/without-proxy-false-enables': '`WEAVE_RUNTIME_WITHOUT_PROXY=false` turns the proxy on.',
  '2.9/number-parsing': 'A number variable is parsed from its text.',
  '2.9/codon-variable-stripped': '`WEAVE_<NAME>` reaches codon processes as `<NAME>`.',
  '2.9/codon-variable-not-runtime':
    'Variables starting with `WEAVE_RUNTIME_` are not handed to codons under a shorter name.',
  '2.9/codon-variable-not-sentinel':
    'Variables starting with `WEAVE_SENTINEL_` are not handed to codons under a shorter name.',
  '2.9/unset-removes-from-server': '`WEAVE_<NAME>=unset` removes `<NAME>` from the server process.',
  '2.9/unset-removes-from-children': '`WEAVE_<NAME>=unset` removes `<NAME>` from child environments.',
  '2.9/unset-before-sentinel-providers':
    'The value `unset` takes effect before sentinel providers are initialized.',
  '2.9/unset-vendor-base-url':
    '`WEAVE_VENDOR_BASE_URL=unset` keeps a `VENDOR_BASE_URL` set by the parent from reaching codons.',
} as const satisfies RequirementTable
