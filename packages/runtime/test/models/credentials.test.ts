import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { credentialFor, credentialVariables } from '../../src/models/index.ts'
import { providerNames } from '../../src/models/providers.ts'

const found = (variable: string, value = 'secret') => ({ ok: true, variable, value })

describe('the credential of a codon', () => {
  verifies(
    [
      '5/codon-keys',
      'd1/codon-credential-anthropic',
      'd1/codon-credential-openai',
      'd1/codon-credential-openrouter',
    ],
    'comes from <PROVIDER>_API_KEY',
    () => {
      for (const [provider, variable] of [
        ['anthropic', 'ANTHROPIC_API_KEY'],
        ['openai', 'OPENAI_API_KEY'],
        ['google', 'GOOGLE_API_KEY'],
        ['openrouter', 'OPENROUTER_API_KEY'],
      ] as const) {
        expect(credentialFor(provider, 'codon', { [variable]: 'secret' })).toEqual(found(variable))
      }
    },
  )

  verifies(
    ['5/codon-gemini-key', 'd1/codon-credential-google', 'd1/codon-credential-gemini-wins'],
    'of Google comes from GEMINI_API_KEY, then from GOOGLE_API_KEY',
    () => {
      expect(credentialFor('google', 'codon', { GEMINI_API_KEY: 'g' })).toEqual(found('GEMINI_API_KEY', 'g'))
      expect(credentialFor('google', 'codon', { GOOGLE_API_KEY: 'o' })).toEqual(found('GOOGLE_API_KEY', 'o'))
      const both = { GOOGLE_API_KEY: 'o', GEMINI_API_KEY: 'g' }
      expect(credentialFor('google', 'codon', both)).toEqual(found('GEMINI_API_KEY', 'g'))
    },
  )

  verifies(
    ['d1/api-key-both-spellings', 'd1/api-key-precedence'],
    'of the vendor comes from ANTHROPIC_API_KEY, then from VENDOR_API_KEY',
    () => {
      expect(credentialFor('anthropic', 'codon', { VENDOR_API_KEY: 'v' })).toEqual(
        found('VENDOR_API_KEY', 'v'),
      )
      const both = { VENDOR_API_KEY: 'v', ANTHROPIC_API_KEY: 'a' }
      expect(credentialFor('anthropic', 'codon', both)).toEqual(found('ANTHROPIC_API_KEY', 'a'))
    },
  )

  it.each([
    ['groq', 'GROQ_API_KEY'],
    ['mistral', 'MISTRAL_API_KEY'],
    ['xai', 'XAI_API_KEY'],
    ['deepseek', 'DEEPSEEK_API_KEY'],
    ['huggingface', 'HF_TOKEN'],
    ['vercel-ai-gateway', 'AI_GATEWAY_API_KEY'],
    ['moonshotai', 'MOONSHOT_API_KEY'],
    ['kimi-coding', 'KIMI_API_KEY'],
    ['my-host.v2', 'MY_HOST_V2_API_KEY'],
  ])("of %s comes from that provider's own %s", (provider, variable) => {
    expect(credentialFor(provider, 'codon', { [variable]: 'secret' })).toEqual(found(variable))
  })

  it('is not a variable of a sentinel', () => {
    const environment = { WEAVE_SENTINEL_OPENAI_API_KEY: 's' }
    expect(credentialFor('openai', 'codon', environment)).toEqual({ ok: false, missing: ['OPENAI_API_KEY'] })
  })

  it.each(['', '  ', undefined])('is missing when the variable holds %j', value => {
    expect(credentialFor('google', 'codon', { GEMINI_API_KEY: value })).toEqual({
      ok: false,
      missing: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    })
  })

  it('passes over an empty variable to the next', () => {
    const environment = { GEMINI_API_KEY: '', GOOGLE_API_KEY: 'o' }
    expect(credentialFor('google', 'codon', environment)).toEqual(found('GOOGLE_API_KEY', 'o'))
  })
})

describe('the credential of a sentinel', () => {
  verifies(
    [
      '5/sentinel-keys',
      '5/sentinel-key-first',
      'd1/sentinel-credential-anthropic',
      'd1/sentinel-credential-openai',
      'd1/sentinel-credential-google',
    ],
    'comes from WEAVE_SENTINEL_<PROVIDER>_API_KEY before all others',
    () => {
      for (const [provider, variable] of [
        ['anthropic', 'WEAVE_SENTINEL_ANTHROPIC_API_KEY'],
        ['openai', 'WEAVE_SENTINEL_OPENAI_API_KEY'],
        ['google', 'WEAVE_SENTINEL_GOOGLE_API_KEY'],
        ['google', 'WEAVE_SENTINEL_GEMINI_API_KEY'],
      ] as const) {
        const plain = {
          ANTHROPIC_API_KEY: 'p',
          OPENAI_API_KEY: 'p',
          GOOGLE_API_KEY: 'p',
          GEMINI_API_KEY: 'p',
        }
        expect(credentialFor(provider, 'sentinel', { ...plain, [variable]: 'secret' })).toEqual(
          found(variable),
        )
      }
    },
  )

  verifies(
    ['5/sentinel-key-fallback', 'd1/sentinel-credential-fallback'],
    'comes from the plain variable when there is none of its own',
    () => {
      for (const [provider, variable] of [
        ['anthropic', 'ANTHROPIC_API_KEY'],
        ['openai', 'OPENAI_API_KEY'],
        ['google', 'GOOGLE_API_KEY'],
        ['google', 'GEMINI_API_KEY'],
      ] as const) {
        expect(credentialFor(provider, 'sentinel', { [variable]: 'secret' })).toEqual(found(variable))
      }
    },
  )

  it('that is missing names every variable in the order in which they are looked at', () => {
    expect(credentialFor('google', 'sentinel', {})).toEqual({
      ok: false,
      missing: [
        'WEAVE_SENTINEL_GOOGLE_API_KEY',
        'WEAVE_SENTINEL_GEMINI_API_KEY',
        'GEMINI_API_KEY',
        'GOOGLE_API_KEY',
      ],
    })
  })
})

describe('the table of providers', () => {
  it('gives each a variable of its own name', () => {
    for (const provider of providerNames) {
      for (const variable of credentialVariables(provider, 'sentinel')) {
        expect(variable, provider).toMatch(/^[A-Z][A-Z0-9_]*(?:_API_KEY|_TOKEN)$/)
      }
    }
  })
})
