import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { endpointFor } from '../../src/models/index.ts'
import { providerNames } from '../../src/models/providers.ts'

describe('the endpoint of a provider', () => {
  it.each([
    ['anthropic', 'https://api.anthropic.com', 'https://api.anthropic.com/v1'],
    ['openai', 'https://api.openai.com', 'https://api.openai.com/v1'],
    [
      'google',
      'https://generativelanguage.googleapis.com',
      'https://generativelanguage.googleapis.com/v1beta',
    ],
    ['openrouter', 'https://openrouter.ai', 'https://openrouter.ai/api/v1'],
    ['groq', 'https://api.groq.com/openai', 'https://api.groq.com/openai/v1'],
  ])('of %s is its usual one without a variable', (provider, root, api) => {
    expect(endpointFor(provider, {})).toEqual({ ok: true, root, api })
  })

  it('is known for every provider of the catalogue', () => {
    for (const provider of providerNames) {
      const endpoint = endpointFor(provider, {})
      expect(endpoint.ok && endpoint.api, provider).toMatch(/^https:\/\/.*[^/]$/)
    }
  })

  verifies(
    ['d1/base-url-both-spellings', 'd1/base-url-precedence'],
    'of the vendor comes from ANTHROPIC_BASE_URL, then from VENDOR_BASE_URL',
    () => {
      const vendor = { VENDOR_BASE_URL: 'http://vendor:1' }
      const both = { ...vendor, ANTHROPIC_BASE_URL: 'http://anthropic:2' }
      expect(endpointFor('anthropic', vendor)).toMatchObject({
        root: 'http://vendor:1',
        variable: 'VENDOR_BASE_URL',
      })
      expect(endpointFor('anthropic', both)).toMatchObject({
        root: 'http://anthropic:2',
        variable: 'ANTHROPIC_BASE_URL',
      })
    },
  )

  it.each([
    ['anthropic', 'ANTHROPIC_BASE_URL', 'http://h:1', 'http://h:1', 'http://h:1/v1'],
    ['anthropic', 'ANTHROPIC_BASE_URL', 'http://h:1/v1/', 'http://h:1', 'http://h:1/v1'],
    ['anthropic', 'ANTHROPIC_BASE_URL', 'http://h:1/proxy', 'http://h:1/proxy', 'http://h:1/proxy/v1'],
    ['openai', 'OPENAI_BASE_URL', 'http://h:1', 'http://h:1', 'http://h:1/v1'],
    ['openai', 'OPENAI_BASE_URL', 'http://h:1/', 'http://h:1', 'http://h:1/v1'],
    ['openai', 'OPENAI_BASE_URL', ' http://h:1/v1 ', 'http://h:1', 'http://h:1/v1'],
    ['openai', 'OPENAI_BASE_URL', 'https://h/my/gate', 'https://h/my/gate', 'https://h/my/gate'],
    ['google', 'GOOGLE_BASE_URL', 'http://h:1', 'http://h:1', 'http://h:1/v1beta'],
    ['google', 'GOOGLE_BASE_URL', 'http://h:1/v1beta', 'http://h:1', 'http://h:1/v1beta'],
    ['openrouter', 'OPENROUTER_BASE_URL', 'http://h:1', 'http://h:1', 'http://h:1/api/v1'],
    ['openrouter', 'OPENROUTER_BASE_URL', 'http://h:1/api/v1', 'http://h:1', 'http://h:1/api/v1'],
    ['my-host', 'MY_HOST_BASE_URL', 'http://h:1', 'http://h:1', 'http://h:1/v1'],
  ])('of %s, with %s set to %s, is %s and with its version %s', (provider, variable, value, root, api) => {
    expect(endpointFor(provider, { [variable]: value })).toEqual({ ok: true, root, api, variable })
  })

  it.each(['nonsense', 'ftp://h', 'user:hunter2@h'])(
    'is refused without repeating it when it is %s',
    value => {
      expect(endpointFor('openai', { OPENAI_BASE_URL: value })).toEqual({
        ok: false,
        variable: 'OPENAI_BASE_URL',
        message: 'OPENAI_BASE_URL is not an http or https address.',
      })
    },
  )

  it('that nobody knows is asked for', () => {
    expect(endpointFor('my-host', {})).toEqual({
      ok: false,
      variable: 'MY_HOST_BASE_URL',
      message: 'The address of my-host is not known; set MY_HOST_BASE_URL.',
    })
  })
})
