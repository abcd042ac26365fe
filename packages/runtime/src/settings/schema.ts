import * as z from 'zod'
import { addressFault } from './address-fault.ts'
import { agentRow } from './agent-row-schema.ts'
import { defaults, otelContents, otelNames, type SettingField, type SettingValues } from './fields.ts'
import { fleet } from './fleet-schema.ts'
import { gates } from './gates-schema.ts'
import { mcpServers } from './mcp-servers-schema.ts'
import { rules } from './rules-schema.ts'

/**
 * What a value of each setting must be: one definition for the checks of all layers and for the editor schema. None of
 * these schemas has a default of its own, since a layer must say only what it was told. Takes long to set up: import it
 * only with `import()`, where there is something to check.
 */
export const fields = {
  port: z.int().min(0).max(65_535).describe('WebSocket port; 0 lets the system choose one.'),
  autostart: z.boolean().describe('Run the hank when the first client connects.'),
  withoutProxy: z.boolean().describe('Bypass the LLM proxy; the proxy runs only when this is false.'),
  idleTimeout: z
    .int()
    .min(0)
    .max(255)
    .describe('Seconds after which an idle connection is closed; 0 keeps it open.'),
  model: text('Replaces the model of every codon.'),
  vendorBaseUrl: address('Upstream address of the LLM proxy.'),
  outputDirectory: text('Where output files are copied to, relative to the working directory.'),
  executionBaseDir: text('Where execution directories are created; `~` is the home directory.'),
  logParsingInterval: z.int().positive().describe('Milliseconds between two looks at a log.'),
  dataHashTimeLimit: z.int().positive().describe('Milliseconds for hashing the data.'),
  showCosts: z.boolean().describe('Show cost and token totals in the terminal UI.'),
  shimIdleTimeout: z
    .int()
    .min(1)
    .max(1_800)
    .describe('Longest silence of an agent in seconds, for codons and hanks that say nothing else.'),
  ignoreRigFailures: z.boolean().describe('Treat every rig operation as if it had `allowFailure`.'),
  modelsFile: text('A file with more models for the catalogue, relative to this file.'),
  readonlyOnly: z.boolean().describe('Grant every client read-only access.'),
  'budget.maxDollars': z.number().positive().describe('Ceiling for the whole run in US dollars.'),
  'budget.maxTimeSeconds': z.int().positive().describe('Ceiling for the whole run in seconds.'),
  'sentinel.enablePersistence': z.boolean().describe('Save sentinel outputs to disk.'),
  'sentinel.healthCheckGracePeriodMs': z
    .int()
    .min(0)
    .describe('Milliseconds that a codon waits for the health checks of its sentinels.'),
  'sentinel.waitForAllHealthChecks': z.boolean().describe('Wait until all health checks have finished.'),
  'telemetry.enabled': z
    .boolean()
    .describe('Anonymous usage telemetry; nothing is sent without an endpoint. Off in CI.'),
  'telemetry.debug': z
    .boolean()
    .describe('Print telemetry payloads and write them to `~/.weave/telemetry-debug.jsonl`.'),
  'telemetry.endpoint': address('Where telemetry is sent; there is no built-in address.'),
  'otel.enabled': z
    .boolean()
    .describe('Send OpenTelemetry spans of runs to the collector that the standard variables name.'),
  'otel.content': z
    .enum(otelContents)
    .describe(
      'What of the work goes with the spans: `tools` their arguments and results, `all` also prompts and messages.',
    ),
  'otel.names': z.enum(otelNames).describe('Which version of the conventions the spans follow.'),
  'otel.metrics': z.boolean().describe('Send OpenTelemetry metrics, too.'),
  'web.enabled': z.boolean().describe('Answer pages for a browser on the port of a run, too.'),
  'web.port': z.int().min(0).max(65_535).describe('Port of `weave web`; 0 lets the system choose one.'),
  'web.readonly': z.boolean().describe('Let the pages of `weave web` and of runs watch only.'),
  plainHttpHosts: names(
    'Hosts of the local network that models may be asked at over plain `http:`, as `nas.local` or `nas.local:11434`.',
  ),
  'agents.claude.tools.allow': names(
    'The only tools of its own that the Claude agent gets; without it, all.',
  ),
  'agents.claude.tools.deny': names('Tools that the Claude agent does not get, such as `WebSearch`.'),
  'agents.claude.userSettings': z
    .boolean()
    .describe('Let the Claude agent also read your own settings, memory, skills and agents (`~/.claude`).'),
  'agents.pi.tools.allow': names('The only tools that the Pi agent gets; without it, all.'),
  'agents.pi.tools.deny': names('Tools that the Pi agent does not get, such as `bash`.'),
} satisfies { readonly [F in SettingField]: z.ZodType<SettingValues[F]> }

/** The shape of `weave.json`; the editor schema is made from it. */
export const runtimeFile = z
  .strictObject({
    $schema: z.string().optional().describe('The editor schema of this file.'),
    port: entry('port'),
    autostart: entry('autostart'),
    withoutProxy: entry('withoutProxy'),
    idleTimeout: entry('idleTimeout'),
    model: entry('model'),
    vendorBaseUrl: entry('vendorBaseUrl'),
    outputDirectory: entry('outputDirectory'),
    executionBaseDir: entry('executionBaseDir'),
    logParsingInterval: entry('logParsingInterval'),
    dataHashTimeLimit: entry('dataHashTimeLimit'),
    budget: z
      .strictObject({
        maxDollars: entry('budget.maxDollars'),
        maxTimeSeconds: entry('budget.maxTimeSeconds'),
      })
      .optional()
      .describe('Ceilings for the whole run; the tightest of flag, this file and hank counts.'),
    sentinel: z
      .strictObject({
        enablePersistence: entry('sentinel.enablePersistence'),
        healthCheckGracePeriodMs: entry('sentinel.healthCheckGracePeriodMs'),
        waitForAllHealthChecks: entry('sentinel.waitForAllHealthChecks'),
      })
      .optional()
      .describe('Behaviour of sentinels.'),
    telemetry: z
      .strictObject({
        enabled: entry('telemetry.enabled'),
        debug: entry('telemetry.debug'),
        endpoint: entry('telemetry.endpoint'),
      })
      .optional()
      .describe('Anonymous usage telemetry.'),
    otel: z
      .strictObject({
        enabled: entry('otel.enabled'),
        content: entry('otel.content'),
        names: entry('otel.names'),
        metrics: entry('otel.metrics'),
      })
      .optional()
      .describe('OpenTelemetry: spans and metrics of runs for your own collector.'),
    agents: z
      .object({
        claude: z
          .strictObject({
            tools: z
              .strictObject({
                allow: entry('agents.claude.tools.allow'),
                deny: entry('agents.claude.tools.deny'),
              })
              .optional()
              .describe('Which tools it gets.'),
            userSettings: entry('agents.claude.userSettings'),
          })
          .optional()
          .describe('Agents on the Claude Agent SDK.'),
        pi: z
          .strictObject({
            tools: z
              .strictObject({ allow: entry('agents.pi.tools.allow'), deny: entry('agents.pi.tools.deny') })
              .optional()
              .describe('Which tools it gets.'),
          })
          .optional()
          .describe('Agents on the Pi SDK.'),
      })
      .catchall(agentRow)
      .optional()
      .describe(
        'What agents may use; and by other names agents of your own that speak ACP: what `acp/<name>/<model>` runs on.',
      ),
    plainHttpHosts: entry('plainHttpHosts'),
    showCosts: entry('showCosts'),
    shimIdleTimeout: entry('shimIdleTimeout'),
    ignoreRigFailures: entry('ignoreRigFailures'),
    modelsFile: entry('modelsFile'),
    readonlyOnly: entry('readonlyOnly'),
    mcpServers: mcpServers.optional(),
    gates: gates.optional(),
    rules: rules.optional(),
    fleet: fleet.optional(),
    web: z
      .strictObject({
        enabled: entry('web.enabled'),
        port: entry('web.port'),
        readonly: entry('web.readonly'),
      })
      .optional()
      .describe('Pages for a browser.'),
  })
  .describe('Runtime configuration of weave.')

function entry<F extends SettingField>(field: F): z.ZodOptional<(typeof fields)[F]> {
  const value: unknown = Object.hasOwn(defaults, field) ? Reflect.get(defaults, field) : undefined
  return z.optional(fields[field]).meta({
    description: fields[field].description,
    ...(value !== undefined && { default: value }),
  })
}

function text(description: string): z.ZodString {
  return z.string().min(1).describe(description)
}

function names(description: string): z.ZodArray<z.ZodString> {
  return z.array(z.string().min(1)).describe(description)
}

function address(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .superRefine((value, context) => {
      const message = value === '' ? undefined : addressFault(value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .describe(description)
}
