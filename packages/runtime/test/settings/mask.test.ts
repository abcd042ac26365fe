import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listEnvironment } from '../../src/settings/index.ts'

describe('the listed environment', () => {
  it('shows what has to do with a run, sorted, and of secrets hardly anything', () => {
    const environment = {
      WEAVE_RUNTIME_PORT: '1',
      OPENAI_API_KEY: 'short',
      ANTHROPIC_API_KEY: 'key-0123456789-abcdefgh-wxyz',
      GH_TOKEN: '',
      ANTHROPIC_BASE_URL: 'https://me:pass@word@gateway.example/v1',
      WEAVE_NOTE: 'the key is sk-ant-0123456789abcdefghijklmnop',
      CI: 'true',
      HOME: '/home/user',
      WANTED: 'yes',
      GONE: undefined,
    }
    expect(listEnvironment(environment, ['WANTED', 'GONE', 'NEVER'])).toEqual([
      { name: 'ANTHROPIC_API_KEY', value: '****wxyz' },
      { name: 'ANTHROPIC_BASE_URL', value: 'https://****@gateway.example/v1' },
      { name: 'CI', value: 'true' },
      { name: 'GH_TOKEN', value: '(empty)' },
      { name: 'OPENAI_API_KEY', value: '****' },
      { name: 'WANTED', value: 'yes' },
      { name: 'WEAVE_NOTE', value: 'the key is [redacted:anthropic-key]' },
      { name: 'WEAVE_RUNTIME_PORT', value: '1' },
    ])
  })

  it('never shows more than the last four characters of a secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: 'binary-ascii' }), secret => {
        const [listed] = listEnvironment({ SOME_API_KEY: secret })
        expect(listed?.value.replace('****', '').length).toBeLessThanOrEqual(4)
      }),
    )
  })
})
