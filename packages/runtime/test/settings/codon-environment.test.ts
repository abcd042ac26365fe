import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonEnvironment, serverEnvironment, throughProxy } from '../../src/settings/index.ts'

const forCodon = (environment: Record<string, string | undefined>, codon?: Record<string, string>) =>
  codonEnvironment({ environment, codon })

describe('the environment of a codon', () => {
  verifies(['2.9/codon-variable-stripped'], 'has WEAVE_<NAME> as <NAME>', () => {
    expect(forCodon({ WEAVE_API_KEY: 'k', WEAVE_X: '', PATH: '/bin' })).toEqual({
      API_KEY: 'k',
      X: '',
      PATH: '/bin',
    })
    expect(forCodon({ WEAVE_X: 'prefixed', X: 'plain' })).toEqual({ X: 'prefixed' })
    expect(forCodon({ WEAVE_WEAVE_X: '1' })).toEqual({ WEAVE_X: '1' })
  })

  verifies(
    ['2.9/codon-variable-not-runtime', '2.9/codon-variable-not-sentinel'],
    'has nothing of WEAVE_RUNTIME_* and WEAVE_SENTINEL_*, under no name',
    () => {
      const environment = {
        WEAVE_RUNTIME_PORT: '1',
        WEAVE_SENTINEL_OPENAI_API_KEY: 'k',
        WEAVE_RUNTIME_: '',
        A: 'a',
      }
      expect(forCodon(environment)).toEqual({ A: 'a' })
    },
  )

  it('has nothing of what the runtime keeps for itself, under no name', () => {
    const own = ['TOKEN', 'TELEMETRY', 'EXECUTION_ID', 'CODON_ID', '']
    expect(forCodon(Object.fromEntries(own.map(name => [`WEAVE_${name}`, 'x'])))).toEqual({})
    expect(forCodon({ WEAVE_TOKENS: 'x', WEAVE_GITHUB_TOKEN: 'y' })).toEqual({
      TOKENS: 'x',
      GITHUB_TOKEN: 'y',
    })
  })

  it('never has a WEAVE_* variable from outside, nor the value of a secret one', () => {
    const name = fc.constantFrom('A', 'RUNTIME_A', 'SENTINEL_A', 'TOKEN', 'CODON_ID', 'VENDOR_API_KEY')
    const variable = fc.tuple(fc.constantFrom('', 'WEAVE_'), name).map(parts => parts.join(''))
    fc.assert(
      fc.property(fc.dictionary(variable, fc.constantFrom('', 'x', 'unset')), environment => {
        const secret = Object.keys(environment).filter(key => /^WEAVE_(RUNTIME|SENTINEL|TOKEN)/.test(key))
        const marked = { ...environment, ...Object.fromEntries(secret.map(key => [key, 'SECRET'])) }
        const result = forCodon(marked)
        expect(Object.keys(result).filter(key => key.startsWith('WEAVE_'))).toEqual([])
        expect(Object.values(result)).not.toContain('SECRET')
      }),
    )
  })

  verifies(['2.3/env-merged-with-system'], 'keeps the system variables that the codon does not name', () => {
    expect(forCodon({ PATH: '/bin', HOME: '/h', GONE: undefined }, { A: 'a' })).toEqual({
      PATH: '/bin',
      HOME: '/h',
      A: 'a',
    })
  })

  verifies(['2.3/env-codon-wins'], 'takes the value of the codon over one from outside', () => {
    expect(forCodon({ A: 'system', WEAVE_B: 'prefixed' }, { A: 'codon', B: 'codon' })).toEqual({
      A: 'codon',
      B: 'codon',
    })
  })

  it('has the markers of the runtime, whatever the codon says', () => {
    const result = codonEnvironment({
      environment: { WEAVE_CODON_ID: 'outer' },
      codon: { WEAVE_CODON_ID: 'mine' },
      markers: { WEAVE_CODON_ID: 'right' },
    })
    expect(result).toEqual({ WEAVE_CODON_ID: 'right' })
  })

  it('takes __proto__ as a name like any other', () => {
    const result = forCodon(JSON.parse('{"__proto__": "x", "A": "a"}') as Record<string, string>)
    expect(Object.keys(result).sort()).toEqual(['A', '__proto__'])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })
})

describe('unset', () => {
  verifies(['2.9/unset-removes-from-server'], 'removes a variable from what the server sees', () => {
    expect(
      serverEnvironment({ WEAVE_A: 'unset', A: 'a', B: 'b', WEAVE_C: 'c', WEAVE_RUNTIME_PORT: '1' }),
    ).toEqual({
      B: 'b',
      WEAVE_C: 'c',
      WEAVE_RUNTIME_PORT: '1',
    })
  })

  verifies(['2.9/unset-removes-from-children'], 'removes a variable from child environments', () => {
    expect(forCodon({ WEAVE_A: 'unset', A: 'a', B: 'b' })).toEqual({ B: 'b' })
    expect(forCodon({ WEAVE_A: 'unset', A: 'a' }, { A: 'codon' })).toEqual({ A: 'codon' })
  })

  verifies(
    ['2.9/unset-vendor-base-url'],
    'keeps a VENDOR_BASE_URL of the parent from codons, under either spelling',
    () => {
      expect(forCodon({ WEAVE_VENDOR_BASE_URL: 'unset', VENDOR_BASE_URL: 'http://p' })).toEqual({})
      expect(forCodon({ WEAVE_VENDOR_BASE_URL: 'unset', ANTHROPIC_BASE_URL: 'http://p' })).toEqual({})
      expect(forCodon({ WEAVE_ANTHROPIC_BASE_URL: 'unset', VENDOR_BASE_URL: 'http://p' })).toEqual({})
      expect(serverEnvironment({ WEAVE_VENDOR_BASE_URL: 'unset', ANTHROPIC_BASE_URL: 'http://p' })).toEqual(
        {},
      )
    },
  )

  it('is a word like any other for a setting, a sentinel key and the token', () => {
    const environment = { WEAVE_RUNTIME_MODEL: 'unset', RUNTIME_MODEL: 'x', WEAVE_TOKEN: 'unset', TOKEN: 'y' }
    expect(serverEnvironment(environment)).toEqual(environment)
  })

  it('done twice changes nothing more', () => {
    const names = fc.constantFrom(
      'A',
      'WEAVE_A',
      'VENDOR_API_KEY',
      'ANTHROPIC_API_KEY',
      'WEAVE_VENDOR_API_KEY',
    )
    fc.assert(
      fc.property(fc.dictionary(names, fc.constantFrom('', 'x', 'unset')), environment => {
        const once = serverEnvironment(environment)
        expect(serverEnvironment(once)).toEqual(once)
      }),
    )
  })
})

describe("the vendor's address and key", () => {
  verifies(
    ['d1/base-url-both-spellings', 'd1/base-url-both-set-for-agent'],
    'the address comes in under either name and reaches the agent under both',
    () => {
      const both = { ANTHROPIC_BASE_URL: 'http://a', VENDOR_BASE_URL: 'http://a' }
      expect(forCodon({ ANTHROPIC_BASE_URL: 'http://a' })).toEqual(both)
      expect(forCodon({ VENDOR_BASE_URL: 'http://a' })).toEqual(both)
      expect(forCodon({ WEAVE_VENDOR_BASE_URL: 'http://a' })).toEqual(both)
      expect(forCodon({}, { VENDOR_BASE_URL: 'http://a' })).toEqual(both)
      expect(serverEnvironment({ VENDOR_BASE_URL: 'http://a' })).toEqual(both)
    },
  )

  verifies(['d1/base-url-precedence'], 'ANTHROPIC_BASE_URL wins over VENDOR_BASE_URL', () => {
    const both = { ANTHROPIC_BASE_URL: 'http://a', VENDOR_BASE_URL: 'http://a' }
    expect(forCodon({ ANTHROPIC_BASE_URL: 'http://a', VENDOR_BASE_URL: 'http://v' })).toEqual(both)
    expect(serverEnvironment({ ANTHROPIC_BASE_URL: 'http://a', VENDOR_BASE_URL: 'http://v' })).toEqual(both)
  })

  verifies(
    ['d1/api-key-both-spellings', 'd1/api-key-both-set-for-agent'],
    'the key comes in under either name and reaches the agent under both',
    () => {
      const both = { ANTHROPIC_API_KEY: 'k', VENDOR_API_KEY: 'k' }
      expect(forCodon({ ANTHROPIC_API_KEY: 'k' })).toEqual(both)
      expect(forCodon({ VENDOR_API_KEY: 'k' })).toEqual(both)
      expect(forCodon({ VENDOR_API_KEY: 'k', ANTHROPIC_API_KEY: '' })).toEqual(both)
    },
  )

  verifies(['d1/api-key-precedence'], 'ANTHROPIC_API_KEY wins over VENDOR_API_KEY', () => {
    const both = { ANTHROPIC_API_KEY: 'a', VENDOR_API_KEY: 'a' }
    expect(forCodon({ ANTHROPIC_API_KEY: 'a', VENDOR_API_KEY: 'v' })).toEqual(both)
  })

  it('a higher level wins over both spellings of a lower one', () => {
    const outside = { ANTHROPIC_BASE_URL: 'http://system', WEAVE_VENDOR_BASE_URL: 'http://prefixed' }
    expect(forCodon(outside)['ANTHROPIC_BASE_URL']).toBe('http://prefixed')
    expect(forCodon(outside, { VENDOR_BASE_URL: 'http://codon' })['ANTHROPIC_BASE_URL']).toBe('http://codon')
    const codon = codonEnvironment({ environment: outside, codon: { ANTHROPIC_BASE_URL: 'http://codon' } })
    const proxied = throughProxy(codon, 'http://localhost:9')
    expect(proxied).toEqual({
      ANTHROPIC_BASE_URL: 'http://localhost:9',
      VENDOR_BASE_URL: 'http://localhost:9',
    })
  })

  it('keep their own proxy to the outside, and do not use it for this machine', () => {
    const env = { HTTPS_PROXY: 'http://out:1', NO_PROXY: 'intra.example' }
    expect(throughProxy(env, 'http://localhost:9')).toMatchObject({
      HTTPS_PROXY: 'http://out:1',
      NO_PROXY: 'intra.example,localhost,127.0.0.1',
      no_proxy: 'intra.example,localhost,127.0.0.1',
    })
    expect(throughProxy(env, undefined)).toBe(env)
  })
})
