import { describe, expect, test } from 'vitest'
import { createRegistry, credentialFor, endpointFor, redirectProviders } from '../../src/models/index.ts'
import { providerNames, providerOf } from '../../src/models/providers.ts'

const to = { url: 'http://127.0.0.1:4', key: 'placeholder' }
const real = 'a-real-key'
const address = 'https://real.invalid'

/** Every variable of these providers, each also with the prefix. */
function everything(names: readonly string[]): Readonly<Record<string, string>> {
  const rows = names
    .map(providerOf)
    .flatMap(({ keys, sentinelKeys, baseUrls }) => [
      ...[...keys, ...sentinelKeys].map(name => [name, real]),
      ...baseUrls.map(name => [name, address]),
    ])
  return Object.fromEntries(
    rows.flatMap(([name, value]) => [
      [name, value],
      [`WEAVE_${name}`, value],
    ]),
  )
}

const others = ['my-host', 'org.second_host']
const names = [...providerNames, ...others]

describe('providers that are led elsewhere', () => {
  const led = redirectProviders({ ...everything(names), ORDINARY: 'kept' }, to, others)

  test.each(names)('%s is asked there with that key, by codons and by sentinels', name => {
    for (const use of ['codon', 'sentinel'] as const)
      expect(credentialFor(name, use, led)).toMatchObject({ ok: true, value: 'placeholder' })
    const endpoint = endpointFor(name, led)
    expect(endpoint.ok && new URL(endpoint.api).origin).toBe(to.url)
  })

  test('leave nothing of what there was, and everything else as it was', () => {
    expect(Object.values(led).filter(value => value === real || value === address)).toEqual([])
    expect(led['ORDINARY']).toBe('kept')
  })

  test('that nobody named keep what they have', () => {
    const kept = redirectProviders(everything(['my-host']), to)
    expect(kept['MY_HOST_API_KEY']).toBe(real)
  })
})

test.each([
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_UNIX_SOCKET',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'OPENAI_ORG_ID',
  'AZURE_OPENAI_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'AWS_BEARER_TOKEN_BEDROCK',
  'COPILOT_GITHUB_TOKEN',
])('what an SDK would read by itself is gone: %s', name => {
  expect(redirectProviders({ [name]: real, [`WEAVE_${name}`]: real }, to)).not.toHaveProperty(name)
  expect(Object.values(redirectProviders({ [`WEAVE_${name}`]: real }, to))).not.toContain(real)
})

test.each(['AWS_ACCESS_KEY_ID', 'GOOGLE_APPLICATION_CREDENTIALS', 'GITHUB_TOKEN', 'MY_API_KEY', 'PATH'])(
  'what leads to no model stays: %s',
  name => {
    expect(redirectProviders({ [name]: 'mine' }, to)).toHaveProperty(name, 'mine')
  },
)

test('a registry names the providers of all its models', async () => {
  const { registry } = await createRegistry()
  const ofModels = [...new Set(registry.models.map(({ provider }) => provider))]
  expect(registry.providers).toEqual([
    ...ofModels,
    'github-copilot',
    'llama.cpp',
    'lmstudio',
    'ollama',
    'openai-codex',
    'vllm',
  ])
})
