import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { resolveSettings, runtimeFile } from '../../src/settings/index.ts'
import { parseRuntimeFile } from '../../src/settings/read-values.ts'

const { settings, sources, ...rest } = resolveSettings({})

/** What a `weave.json` with this text says, or the messages about it. */
function told(text: string): unknown {
  const { layer, problems } = parseRuntimeFile(text, 'weave.json')
  return problems.length > 0
    ? problems.map(({ message }) => message)
    : resolveSettings({ file: layer }).settings
}

describe('defaults', () => {
  it('are these and no others', () => {
    expect(settings).toEqual({
      port: 0,
      autostart: true,
      withoutProxy: true,
      idleTimeout: 0,
      vendorBaseUrl: undefined,
      outputDirectory: 'weave-results',
      executionBaseDir: '~/.weave-executions',
      dataHashTimeLimit: 5000,
      showCosts: false,
      shimIdleTimeout: undefined,
      ignoreRigFailures: false,
      modelsFile: undefined,
      readonlyOnly: false,
      sentinel: { enablePersistence: true, healthCheckGracePeriodMs: 2000, waitForAllHealthChecks: false },
      telemetry: { enabled: true, debug: false, endpoint: undefined },
      otel: { enabled: false, content: 'none', names: '1.41', metrics: true },
      web: { enabled: false, port: 7788, readonly: false },
      agents: {
        claude: { tools: { allow: undefined, deny: [] }, userSettings: false },
        pi: { tools: { allow: undefined, deny: [] } },
      },
      plainHttpHosts: [],
    })
    expect(rest).toEqual({ ceilings: {} })
    expect(Object.values(sources).every(({ origin }) => origin === 'default')).toBe(true)
  })

  verifies(['2.8/port-default'], '`port` is a number, 0 by default', () => {
    expect(settings.port).toBe(0)
    expect(told('{"port": 3000}')).toMatchObject({ port: 3000 })
    expect(told('{"port": "3000"}')).toEqual(['expected a whole number from 0 to 65535, found "3000"'])
  })

  verifies(
    ['2.8/autostart-default', 'd2/autostart-default'],
    '`autostart` is a boolean, true by default',
    () => {
      expect(settings.autostart).toBe(true)
      expect(told('{"autostart": false}')).toMatchObject({ autostart: false })
      expect(told('{"autostart": 1}')).toEqual(['expected true or false, found 1'])
    },
  )

  verifies(['2.8/without-proxy-default'], '`withoutProxy` is a boolean, true by default', () => {
    expect(settings.withoutProxy).toBe(true)
    expect(told('{"withoutProxy": false}')).toMatchObject({ withoutProxy: false })
    expect(told('{"withoutProxy": "no"}')).toEqual(['expected true or false, found "no"'])
  })

  verifies(
    ['2.8/idle-timeout-range', '2.8/idle-timeout-default', '8/idle-timeout'],
    '`idleTimeout` goes from 0 to 255 and is 0 when left out',
    () => {
      expect(settings.idleTimeout).toBe(0)
      expect(told('{"idleTimeout": 0}')).toMatchObject({ idleTimeout: 0 })
      expect(told('{"idleTimeout": 255}')).toMatchObject({ idleTimeout: 255 })
      expect(told('{"idleTimeout": -1}')).toEqual(['expected a whole number from 0 to 255, found -1'])
      expect(told('{"idleTimeout": 256}')).toEqual(['expected a whole number from 0 to 255, found 256'])
    },
  )

  verifies(['2.8/model-default'], '`model` is a string without a default', () => {
    expect(rest.modelOverride).toBeUndefined()
    expect(parseRuntimeFile('{"model": "opus"}', 'f').layer.model).toEqual({
      value: 'opus',
      origin: 'weave.json',
    })
    expect(told('{"model": 4}')).toEqual(['expected a non-empty string, found 4'])
  })

  verifies(['2.8/output-directory-default'], '`outputDirectory` is `weave-results` by default', () => {
    expect(settings.outputDirectory).toBe('weave-results')
  })

  verifies(
    ['2.8/execution-base-dir-default'],
    '`executionBaseDir` is `~/.weave-executions` by default',
    () => {
      expect(settings.executionBaseDir).toBe('~/.weave-executions')
    },
  )

  verifies(['2.8/log-parsing-interval-default'], '`logParsingInterval` is a number, 1000 by default', () => {
    expect(sources.logParsingInterval).toEqual({ value: 1000, origin: 'default' })
    expect(told('{"logParsingInterval": true}')).toEqual(['expected a whole number above 0, found true'])
  })

  verifies(
    ['2.8/data-hash-time-limit-default', '8/data-hash-time-limit', '2.2/data-hash-time-limit-default'],
    '`dataHashTimeLimit` is a number, 5000 by default',
    () => {
      expect(settings.dataHashTimeLimit).toBe(5000)
      expect(told('{"dataHashTimeLimit": []}')).toEqual([
        'expected a whole number above 0, found an empty list',
      ])
    },
  )

  verifies(
    ['2.8/sentinel-persistence-default', '2.8/sentinel-grace-period-default', '2.8/sentinel-wait-default'],
    'sentinel settings have their types and defaults',
    () => {
      expect(settings.sentinel.enablePersistence).toBe(true)
      expect(settings.sentinel.healthCheckGracePeriodMs).toBe(2000)
      expect(settings.sentinel.waitForAllHealthChecks).toBe(false)
      expect(told('{"sentinel": {"enablePersistence": 1}}')).toEqual(['expected true or false, found 1'])
      expect(told('{"sentinel": {"healthCheckGracePeriodMs": "1"}}')).toEqual([
        'expected a whole number of at least 0, found "1"',
      ])
      expect(told('{"sentinel": {"waitForAllHealthChecks": {}}}')).toEqual([
        'expected true or false, found an object',
      ])
    },
  )

  verifies(
    ['2.8/telemetry-enabled-default', '2.8/telemetry-debug-default'],
    'telemetry settings have their types and defaults',
    () => {
      expect(settings.telemetry.enabled).toBe(true)
      expect(settings.telemetry.debug).toBe(false)
      expect(told('{"telemetry": {"enabled": null}}')).toEqual(['expected true or false, found null'])
      expect(told('{"telemetry": {"debug": "x"}}')).toEqual(['expected true or false, found "x"'])
    },
  )
})

describe('the editor schema', () => {
  it('describes every field, with its default', () => {
    const schema = z.toJSONSchema(runtimeFile, { io: 'input' })
    expect(schema.properties?.['port']).toEqual({
      description: 'WebSocket port; 0 lets the system choose one.',
      default: 0,
      type: 'integer',
      minimum: 0,
      maximum: 65535,
    })
    expect(schema.required).toBeUndefined()
    expect(withoutDescription(schema)).toEqual([])
  })
})

function withoutDescription(schema: z.core.JSONSchema.JSONSchema, path = ''): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    if (typeof field === 'boolean') return [`${path}${key}`]
    const own = field.description ? [] : [`${path}${key}`]
    return [...own, ...withoutDescription(field, `${path}${key}.`)]
  })
}
