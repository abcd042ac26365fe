import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { settingFields, variableOf } from '../../src/settings/fields.ts'
import { resolveSettings } from '../../src/settings/index.ts'
import { readEnvironment } from '../../src/settings/read-values.ts'

const settingsFrom = (environment: Record<string, string>) => {
  const { layer, problems } = readEnvironment(environment)
  expect(problems).toEqual([])
  return resolveSettings({ variables: layer })
}

describe('WEAVE_RUNTIME variables', () => {
  verifies(['2.9/port'], 'PORT sets `port` as a number', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_PORT: '4711' }).settings.port).toBe(4711)
  })

  verifies(['2.9/model'], 'MODEL sets `model` as a string', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_MODEL: '4' }).modelOverride).toEqual({
      value: '4',
      origin: 'WEAVE_RUNTIME_MODEL',
    })
  })

  verifies(['2.9/autostart'], 'AUTOSTART sets `autostart` as a boolean', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_AUTOSTART: 'false' }).settings.autostart).toBe(false)
  })

  verifies(['2.9/without-proxy'], 'WITHOUT_PROXY sets `withoutProxy` as a boolean', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_WITHOUT_PROXY: 'false' }).settings.withoutProxy).toBe(false)
    expect(settingsFrom({ WEAVE_RUNTIME_WITHOUT_PROXY: 'true' }).settings.withoutProxy).toBe(true)
  })

  verifies(['2.9/vendor-base-url'], 'VENDOR_BASE_URL sets `vendorBaseUrl` as a string', () => {
    const { settings } = settingsFrom({ WEAVE_RUNTIME_VENDOR_BASE_URL: 'https://gateway.example/v' })
    expect(settings.vendorBaseUrl).toBe('https://gateway.example/v')
  })

  verifies(['2.9/output-directory'], 'OUTPUT_DIRECTORY sets `outputDirectory` as a string', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_OUTPUT_DIRECTORY: '7' }).settings.outputDirectory).toBe('7')
  })

  verifies(['2.9/execution-base-dir'], 'EXECUTION_BASE_DIR sets `executionBaseDir` as a string', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_EXECUTION_BASE_DIR: '/x' }).settings.executionBaseDir).toBe('/x')
  })

  verifies(['2.9/log-parsing-interval'], 'LOG_PARSING_INTERVAL sets `logParsingInterval` as a number', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_LOG_PARSING_INTERVAL: '50' }).sources.logParsingInterval?.value).toBe(
      50,
    )
  })

  verifies(['2.9/data-hash-time-limit'], 'DATA_HASH_TIME_LIMIT sets `dataHashTimeLimit` as a number', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_DATA_HASH_TIME_LIMIT: '9' }).settings.dataHashTimeLimit).toBe(9)
  })

  verifies(['2.9/idle-timeout'], 'IDLE_TIMEOUT sets `idleTimeout` as a number', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_IDLE_TIMEOUT: '60' }).settings.idleTimeout).toBe(60)
  })

  it('SHOW_COSTS sets `showCosts` as a boolean', () => {
    expect(settingsFrom({ WEAVE_RUNTIME_SHOW_COSTS: '1' }).settings.showCosts).toBe(true)
    expect(settingsFrom({ WEAVE_RUNTIME_SHOW_COSTS: 'true' }).settings.showCosts).toBe(true)
    expect(settingsFrom({ WEAVE_RUNTIME_SHOW_COSTS: '0' }).settings.showCosts).toBe(false)
  })

  verifies(
    ['2.9/sentinel-enable-persistence'],
    'SENTINEL_ENABLE_PERSISTENCE sets `sentinel.enablePersistence` as a boolean',
    () => {
      const { settings } = settingsFrom({ WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE: 'no' })
      expect(settings.sentinel).toMatchObject({ enablePersistence: false, healthCheckGracePeriodMs: 2000 })
    },
  )

  verifies(
    ['2.9/sentinel-health-check-grace-period'],
    'SENTINEL_HEALTH_CHECK_GRACE_PERIOD_MS sets `sentinel.healthCheckGracePeriodMs` as a number',
    () => {
      const { settings } = settingsFrom({ WEAVE_RUNTIME_SENTINEL_HEALTH_CHECK_GRACE_PERIOD_MS: '0' })
      expect(settings.sentinel.healthCheckGracePeriodMs).toBe(0)
    },
  )

  verifies(
    ['2.9/sentinel-wait-for-all-health-checks'],
    'SENTINEL_WAIT_FOR_ALL_HEALTH_CHECKS sets `sentinel.waitForAllHealthChecks` as a boolean',
    () => {
      const { settings } = settingsFrom({ WEAVE_RUNTIME_SENTINEL_WAIT_FOR_ALL_HEALTH_CHECKS: '1' })
      expect(settings.sentinel.waitForAllHealthChecks).toBe(true)
    },
  )

  it('of a ceiling counts when it is the tightest', () => {
    const { layer } = readEnvironment({ WEAVE_RUNTIME_BUDGET_MAX_DOLLARS: '2' })
    const file = (dollars: number) =>
      ({ 'budget.maxDollars': { value: dollars, origin: 'weave.json' } }) as const
    expect(resolveSettings({ variables: layer, file: file(3) }).ceilings.maxDollars).toEqual({
      value: 2,
      origin: 'WEAVE_RUNTIME_BUDGET_MAX_DOLLARS',
    })
    expect(resolveSettings({ variables: layer, file: file(1) }).ceilings.maxDollars?.value).toBe(1)
  })
})

describe('reading a variable', () => {
  verifies(
    ['2.9/boolean-true-values', '2.9/boolean-other-values'],
    'a boolean is true for exactly `true` and `1` and false for any other non-empty value',
    () => {
      const read = (text: string) => readEnvironment({ WEAVE_RUNTIME_AUTOSTART: text }).layer.autostart?.value
      expect(['true', '1'].map(read)).toEqual([true, true])
      const others = ['false', '0', 'TRUE', 'True', 'yes', 'on', '2', ' true', 'true ', '11', 'null']
      expect(others.map(read)).toEqual(others.map(() => false))
    },
  )

  it('an empty one is as if it were not there, and an absent one too', () => {
    const empty = Object.fromEntries(settingFields.map(field => [variableOf(field), '']))
    expect(readEnvironment(empty)).toEqual({ layer: {}, problems: [] })
    expect(readEnvironment({ WEAVE_RUNTIME_PORT: undefined })).toEqual({ layer: {}, problems: [] })
  })

  verifies(['2.9/number-parsing'], 'a number is read from its text', () => {
    const read = (text: string) => readEnvironment({ WEAVE_RUNTIME_LOG_PARSING_INTERVAL: text })
    const values = ['8', '+8', ' 8 ', '008', '8.0', '8e0'].map(
      text => read(text).layer.logParsingInterval?.value,
    )
    expect(values).toEqual([8, 8, 8, 8, 8, 8])
    for (const text of ['eight', '0x8', '8 ms', '1_000', 'Infinity', 'NaN', '8,0', '', ' '].filter(Boolean)) {
      const { layer, problems } = read(text)
      expect(layer).toEqual({})
      expect(problems).toEqual([
        {
          severity: 'error',
          code: 'settings/type',
          where: 'WEAVE_RUNTIME_LOG_PARSING_INTERVAL',
          message: `expected a whole number above 0, found ${JSON.stringify(text)}`,
        },
      ])
    }
  })

  it.each<[string, string, string]>([
    ['WEAVE_RUNTIME_PORT', '65536', 'expected a whole number from 0 to 65535, found 65536'],
    ['WEAVE_RUNTIME_PORT', '-1', 'expected a whole number from 0 to 65535, found -1'],
    ['WEAVE_RUNTIME_PORT', '80.5', 'expected a whole number from 0 to 65535, found 80.5'],
    ['WEAVE_RUNTIME_IDLE_TIMEOUT', '256', 'expected a whole number from 0 to 255, found 256'],
    ['WEAVE_RUNTIME_DATA_HASH_TIME_LIMIT', '0', 'expected a whole number above 0, found 0'],
    [
      'WEAVE_RUNTIME_VENDOR_BASE_URL',
      'http://example.com',
      'expected an address that starts with https://, or with http:// when it is on this machine, found http://example.com',
    ],
  ])('%s=%s is refused as in weave.json', (where, text, message) => {
    const { layer, problems } = readEnvironment({ [where]: text })
    expect(layer).toEqual({})
    expect(problems).toMatchObject([{ severity: 'error', where, message }])
  })

  it('a wrong one does not spoil the others', () => {
    const { layer, problems } = readEnvironment({ WEAVE_RUNTIME_PORT: 'x', WEAVE_RUNTIME_IDLE_TIMEOUT: '3' })
    expect(layer).toEqual({ idleTimeout: { value: 3, origin: 'WEAVE_RUNTIME_IDLE_TIMEOUT' } })
    expect(problems).toHaveLength(1)
  })

  it('an unknown one gets a warning and the nearest name', () => {
    const environment = {
      WEAVE_RUNTIME_PROT: '1',
      WEAVE_RUNTIME_XYZZY: '1',
      WEAVE_RUNTIME_EMPTY: '',
      PORT: '1',
    }
    expect(readEnvironment(environment)).toEqual({
      layer: {},
      problems: [
        {
          severity: 'warning',
          code: 'settings/unknown-variable',
          where: 'WEAVE_RUNTIME_PROT',
          message: 'Unknown variable WEAVE_RUNTIME_PROT; it has no effect. Did you mean WEAVE_RUNTIME_PORT?',
        },
        {
          severity: 'warning',
          code: 'settings/unknown-variable',
          where: 'WEAVE_RUNTIME_XYZZY',
          message: 'Unknown variable WEAVE_RUNTIME_XYZZY; it has no effect.',
        },
      ],
    })
  })
})
