import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { addressOf, panels, type Route, routeOf, withParameters } from '../../src/dashboard/routes.ts'

const at = (address: string): Route => {
  const { pathname, search } = new URL(address, 'http://127.0.0.1')
  return routeOf({ pathname, search })
}

describe('addresses', () => {
  verifies(
    ['page/links'],
    'lead to the same place again, whatever is selected and however it is called',
    () => {
      const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      const parameters = fc.dictionary(fc.constantFrom('at', 'q', 'type', 'codon', 'sha'), words)
      const names = words.filter(name => name !== '.' && name !== '..')
      const routes: fc.Arbitrary<Route> = fc.oneof(
        fc.record({ page: fc.constant('executions' as const), parameters }),
        fc.record({ page: fc.constant('compare' as const), parameters }),
        fc.record({ page: fc.constant('fleet' as const), parameters }),
        fc.record({ page: fc.constant('batch' as const), batch: names, parameters }),
        fc.record({
          page: fc.constant('run' as const),
          name: names,
          panel: fc.constantFrom(...panels),
          parameters,
        }),
      )
      fc.assert(
        fc.property(routes, route => {
          expect(at(addressOf(route))).toEqual(route)
        }),
        { numRuns: 300 },
      )
    },
  )

  verifies(['page/links'], 'of nothing are nowhere; a run without a panel shows its stream', () => {
    expect(at('/e/one')).toMatchObject({ page: 'run', name: 'one', panel: 'stream' })
    for (const address of [
      '/e',
      '/e/one/nothing',
      '/e/one/stream/more',
      '/other',
      '/compare/x',
      '/fleet/a/b',
    ])
      expect(at(address).page).toBe('nowhere')
    const route = at('/e/one/stream?q=a&type=b')
    expect(addressOf(withParameters(route, { q: undefined, type: 'c', at: '3' }))).toBe(
      '/e/one/stream?type=c&at=3',
    )
  })
})
