import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isReported } from '../../src/sentinel/index.ts'
import { event } from './observed-events.ts'
import { attachment, fakeModel, says, scene } from './scene.ts'

const types = [
  'sentinel.loaded',
  'sentinel.unloaded',
  'sentinel.error',
  'sentinel.output',
  'sentinel.triggered',
] as const

describe('what clients hear of a sentinel', () => {
  const heard = (config: object, settings: object = {}) =>
    types.filter(type =>
      isReported(
        type,
        attachment({ reportToWebsocket: config }, { settings: { reportToWebsocket: settings } }),
      ),
    )

  test('is everything but its triggers, unless the configuration says otherwise', () => {
    expect(heard({})).toEqual(types.slice(0, 4))
    expect(heard({ triggers: true })).toEqual(types)
    expect(heard({ lifecycle: false })).toEqual(['sentinel.error', 'sentinel.output'])
    expect(heard({ errors: false, outputs: false })).toEqual(['sentinel.loaded', 'sentinel.unloaded'])
  })

  verifies(['d10/report-settings-override'], 'follows the settings of the codon where it has some', () => {
    expect(heard({ lifecycle: false, triggers: true }, { lifecycle: true, triggers: false })).toEqual(
      types.slice(0, 4),
    )
    expect(heard({ outputs: false }, { errors: false })).toEqual(['sentinel.loaded', 'sentinel.unloaded'])
  })

  test('is less than what is journaled', async () => {
    const quiet = attachment({ reportToWebsocket: { outputs: false } })
    const model = fakeModel((_, index) =>
      index === 2 ? { ok: false, retriable: true, message: 'no' } : says('ok'),
    )
    const { load, told } = await scene([quiet], { model })
    const attached = await load()
    attached.route(event('info'))
    attached.route(event('info'))
    await attached.finish({ reason: 'codon-complete' })
    expect(told.map(({ type }) => `${type} ${isReported(type, quiet) ? 'told' : 'kept'}`)).toEqual([
      'sentinel.loaded told',
      'sentinel.triggered kept',
      'sentinel.output kept',
      'sentinel.triggered kept',
      'sentinel.error told',
      'sentinel.unloaded told',
    ])
  })
})
