import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Layer } from '../../src/settings/fields.ts'
import { resolveSettings } from '../../src/settings/index.ts'
import { parseRuntimeFile, readEnvironment, readFlags } from '../../src/settings/read-values.ts'
import { type OverridesLayer, telemetrySwitch } from '../../src/settings/resolve.ts'

const file = (value: object): Layer => {
  const { layer, problems } = parseRuntimeFile(JSON.stringify(value), 'weave.json')
  expect(problems).toEqual([])
  return layer
}
const variables = (environment: Record<string, string>): Layer => readEnvironment(environment).layer
const port = (value: number): Layer => readFlags([{ flag: '--port', field: 'port', value }]).layer

describe('the five layers', () => {
  verifies(['2.8/layer-cli-first'], 'a flag wins over every other layer', () => {
    const { sources } = resolveSettings({
      flags: readFlags([{ flag: '--shim-idle-timeout', field: 'shimIdleTimeout', value: '5' }]).layer,
      overrides: { shimIdleTimeout: 3 },
      file: file({ shimIdleTimeout: 2 }),
    })
    expect(sources.shimIdleTimeout).toEqual({ value: 5, origin: '--shim-idle-timeout' })
    const ports = {
      flags: port(5),
      variables: variables({ WEAVE_RUNTIME_PORT: '4' }),
      file: file({ port: 2 }),
    }
    expect(resolveSettings(ports).settings.port).toBe(5)
  })

  verifies(['2.8/layer-environment-second'], 'a variable wins over hank overrides', () => {
    const { sources } = resolveSettings({
      variables: variables({ WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE: 'true' }),
      overrides: { sentinel: { enablePersistence: false } },
    })
    expect(sources['sentinel.enablePersistence']).toEqual({
      value: true,
      origin: 'WEAVE_RUNTIME_SENTINEL_ENABLE_PERSISTENCE',
    })
  })

  verifies(
    ['2.8/layer-hank-overrides-third', 'd3/overrides-above-config'],
    'hank overrides win over the runtime file',
    () => {
      const { sources } = resolveSettings({
        overrides: { shimIdleTimeout: 3, sentinel: { healthCheckGracePeriodMs: 30 } },
        file: file({ shimIdleTimeout: 2, sentinel: { healthCheckGracePeriodMs: 20 } }),
      })
      expect(sources.shimIdleTimeout).toEqual({ value: 3, origin: 'hank overrides' })
      expect(sources['sentinel.healthCheckGracePeriodMs']).toEqual({ value: 30, origin: 'hank overrides' })
    },
  )

  verifies(['2.8/layer-runtime-file-fourth'], 'the runtime file wins over the defaults', () => {
    const { settings, sources } = resolveSettings({ file: file({ idleTimeout: 9, autostart: false }) })
    expect([settings.idleTimeout, settings.autostart]).toEqual([9, false])
    expect(sources.idleTimeout).toEqual({ value: 9, origin: 'weave.json' })
    expect(sources.port).toEqual({ value: 0, origin: 'default' })
  })

  verifies(['2.8/layers-deep-merged'], 'nested objects are merged key by key', () => {
    const { settings } = resolveSettings({
      variables: variables({ WEAVE_RUNTIME_SENTINEL_WAIT_FOR_ALL_HEALTH_CHECKS: '1' }),
      overrides: { sentinel: { healthCheckGracePeriodMs: 3 } },
      file: file({ sentinel: { enablePersistence: false, healthCheckGracePeriodMs: 2 } }),
    })
    expect(settings.sentinel).toEqual({
      enablePersistence: false,
      healthCheckGracePeriodMs: 3,
      waitForAllHealthChecks: true,
    })
  })

  verifies(
    [
      '2.2/sentinel-enable-persistence',
      '2.2/sentinel-health-check-grace-period',
      '2.2/sentinel-wait-for-all-health-checks',
    ],
    'the sentinel overrides of a hank act as the settings of that name',
    () => {
      const sentinel = { enablePersistence: false, healthCheckGracePeriodMs: 0, waitForAllHealthChecks: true }
      expect(resolveSettings({ overrides: { sentinel } }).settings.sentinel).toEqual(sentinel)
    },
  )

  verifies(
    ['2.2/data-hash-time-limit-not-consumed'],
    'take nothing else from the hank: not the time limit of the hash, no port, no proxy',
    () => {
      const overrides = { dataHashTimeLimit: 1, port: 1, withoutProxy: false, telemetry: { debug: true } }
      expect(resolveSettings({ overrides: overrides as OverridesLayer }).settings).toEqual(
        resolveSettings({}).settings,
      )
    },
  )

  it('of two flags for one setting keep the later one', () => {
    const { layer } = readFlags([
      { flag: '--proxy', field: 'withoutProxy', value: false },
      { flag: '--without-proxy', field: 'withoutProxy', value: true },
    ])
    expect(layer).toEqual({ withoutProxy: { value: true, origin: '--without-proxy' } })
  })

  it('check flags as weave.json is checked', () => {
    const { layer, problems } = readFlags([
      { flag: '--port', field: 'port', value: '70000' },
      { flag: '--max-cost', field: 'budget.maxDollars', value: '2.50' },
      { flag: '--max-time', field: 'budget.maxTimeSeconds', value: 'soon' },
    ])
    expect(layer).toEqual({ 'budget.maxDollars': { value: 2.5, origin: '--max-cost' } })
    const error = (code: string, where: string, message: string) => ({
      severity: 'error',
      code,
      where,
      message,
    })
    expect(problems).toEqual([
      error('settings/range', '--port', 'expected a whole number from 0 to 65535, found 70000'),
      error('settings/type', '--max-time', 'expected a whole number above 0, found "soon"'),
    ])
  })

  it('let the highest layer that speaks win, for any choice of layers', () => {
    const given = fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined })
    fc.assert(
      fc.property(given, given, given, given, (flag, variable, hank, inFile) => {
        const { sources } = resolveSettings({
          ...(flag !== undefined && {
            flags: readFlags([{ flag: '--x', field: 'idleTimeout', value: flag }]).layer,
          }),
          ...(variable !== undefined && {
            variables: variables({ WEAVE_RUNTIME_IDLE_TIMEOUT: String(variable) }),
          }),
          overrides: { shimIdleTimeout: hank },
          ...(inFile !== undefined && { file: file({ idleTimeout: inFile, shimIdleTimeout: inFile }) }),
        })
        expect(sources.idleTimeout?.value).toBe(flag ?? variable ?? inFile ?? 0)
        expect(sources.shimIdleTimeout?.value).toBe(hank ?? inFile)
      }),
    )
  })
})

describe('__proto__', () => {
  it('in any layer changes nothing', () => {
    const poison = JSON.parse(
      '{"__proto__": {"port": 1}, "sentinel": {"__proto__": {"waitForAllHealthChecks": true}}}',
    )
    expect(resolveSettings({ overrides: poison as OverridesLayer })).toEqual(resolveSettings({}))
    expect(parseRuntimeFile(JSON.stringify(poison), 'f').layer).toEqual({})
    expect(readEnvironment(JSON.parse('{"__proto__": {"WEAVE_RUNTIME_PORT": "1"}}')).layer).toEqual({})
    expect(({} as Record<string, unknown>)['port']).toBeUndefined()
  })

  it('never reaches the settings from a file of any shape', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const key = fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'port',
      'sentinel',
      'budget',
      'toString',
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.oneof(value, fc.dictionary(key, value)))), entries => {
        const text = `{${entries.map(([name, item]) => `"${name}": ${JSON.stringify(item)}`).join(',')}}`
        const { layer, problems } = parseRuntimeFile(text, 'f')
        expect(
          Object.keys(layer).every(name => ['port'].includes(name) || /^(sentinel|budget)\./.test(name)),
        ).toBe(true)
        if (entries.some(([name]) => name === '__proto__'))
          expect(problems.some(({ message }) => message.includes('Unknown field __proto__'))).toBe(true)
        expect(Object.getPrototypeOf(resolveSettings({ file: layer }).settings)).toBe(Object.prototype)
      }),
    )
  })
})

describe('model', () => {
  it('from flag, then variable, then file replaces the models of codons; from the hank it is only a fallback', () => {
    const flags = readFlags([{ flag: '--model', field: 'model', value: 'a' }]).layer
    const layers = {
      variables: variables({ WEAVE_RUNTIME_MODEL: 'b' }),
      overrides: { model: 'c' },
      file: file({ model: 'd' }),
    }
    expect(resolveSettings({ flags, ...layers }).modelOverride).toEqual({ value: 'a', origin: '--model' })
    expect(resolveSettings(layers).modelOverride).toEqual({ value: 'b', origin: 'WEAVE_RUNTIME_MODEL' })
    expect(resolveSettings({ ...layers, variables: {} }).modelOverride).toEqual({
      value: 'd',
      origin: 'weave.json',
    })
    expect(resolveSettings(layers).modelFallback).toEqual({ value: 'c', origin: 'hank overrides' })
    expect(resolveSettings({ overrides: { model: 'c' } }).modelOverride).toBeUndefined()
  })
})

describe('ceilings', () => {
  const flag = (name: 'maxDollars' | 'maxTimeSeconds', value: number): Layer =>
    readFlags([{ flag: name === 'maxDollars' ? '--max-cost' : '--max-time', field: `budget.${name}`, value }])
      .layer

  const tightest = (name: 'maxDollars' | 'maxTimeSeconds', flagName: string) => {
    const ceiling = (byFlag?: number, hank?: number, inFile?: number) => {
      const { ceilings, sources } = resolveSettings({
        ...(byFlag !== undefined && { flags: flag(name, byFlag) }),
        overrides: { budget: { [name]: hank } },
        ...(inFile !== undefined && { file: file({ budget: { [name]: inFile } }) }),
      })
      expect(sources[`budget.${name}`]).toEqual(ceilings[name])
      return ceilings[name]
    }
    expect(ceiling()).toBeUndefined()
    expect(ceiling(3, 2, 1)).toEqual({ value: 1, origin: 'weave.json' })
    expect(ceiling(1, 2, 3)).toEqual({ value: 1, origin: flagName })
    expect(ceiling(2, 1, 3)).toEqual({ value: 1, origin: 'hank overrides' })
    expect(ceiling(undefined, 2, 3)).toEqual({ value: 2, origin: 'hank overrides' })
    expect(ceiling(5)).toEqual({ value: 5, origin: flagName })
  }

  verifies(['2.6/tightest-dollar-ceiling'], 'in dollars are the lowest of flag, file and hank', () => {
    tightest('maxDollars', '--max-cost')
  })

  verifies(['2.6/tightest-time-ceiling'], 'in seconds are the lowest of flag, file and hank', () => {
    tightest('maxTimeSeconds', '--max-time')
  })
})

describe('telemetry', () => {
  const enabled = (environment: Record<string, string>) =>
    resolveSettings({ environment, file: file({ telemetry: { enabled: true } }) }).sources[
      'telemetry.enabled'
    ]

  verifies(['2.8/telemetry-do-not-track'], 'is off with DO_NOT_TRACK=1', () => {
    expect(enabled({ DO_NOT_TRACK: '1' })).toEqual({ value: false, origin: 'DO_NOT_TRACK' })
    expect(enabled({ DO_NOT_TRACK: 'true' })?.value).toBe(false)
  })

  verifies(['2.8/telemetry-variable'], 'is off with WEAVE_TELEMETRY=0', () => {
    expect(enabled({ WEAVE_TELEMETRY: '0' })).toEqual({ value: false, origin: 'WEAVE_TELEMETRY' })
  })

  verifies(['2.8/telemetry-off-in-ci'], 'is off in CI', () => {
    expect(enabled({ CI: 'true' })).toEqual({ value: false, origin: 'CI' })
    expect(enabled({ CI: '1' })?.value).toBe(false)
    expect(enabled({ TF_BUILD: 'True' })?.value).toBe(false)
  })

  it.each([
    {},
    { CI: 'false' },
    { CI: '' },
    { DO_NOT_TRACK: '0' },
    { DO_NOT_TRACK: '' },
    { WEAVE_TELEMETRY: '1' },
  ])('is left alone by %j', environment => {
    expect(telemetrySwitch(environment as Record<string, string>)).toBeUndefined()
    expect(enabled(environment as Record<string, string>)).toEqual({ value: true, origin: 'weave.json' })
  })
})
