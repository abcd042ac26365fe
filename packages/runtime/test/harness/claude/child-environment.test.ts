import { expect, test } from 'vitest'
import { childEnvironment } from '../../../src/harness/claude/claude-harness.ts'
import type { HarnessSurroundings } from '../../../src/harness/index.ts'

function environment(
  env: Readonly<Record<string, string>>,
  { autoCompact = false, isRoot = false }: { readonly autoCompact?: boolean; readonly isRoot?: boolean } = {},
) {
  const surroundings: HarnessSurroundings = {
    codonId: 'draft',
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    cwd: '/somewhere',
    env,
    marker: 'WEAVE_EXECUTION_ID=1',
    home: '/kept',
    autoCompact,
  }
  return childEnvironment(surroundings, { retries: 2, isRoot })
}

test('holds what the codon has and what keeps the program to itself, and nothing else', () => {
  expect(environment({ PATH: '/bin', CODON: 'yes' })).toEqual({
    PATH: '/bin',
    CODON: 'yes',
    BASH_MAX_TIMEOUT_MS: '1800000',
    CLAUDE_CONFIG_DIR: '/kept/claude',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
    CLAUDE_CODE_MAX_RETRIES: '2',
    ANTHROPIC_LOG: 'debug',
    CLAUDE_CODE_DEBUG_LOG_LEVEL: 'error',
    DISABLE_AUTO_COMPACT: '1',
    CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: '10000000',
  })
})

test('lets the program compact only where it may', () => {
  const env = environment({}, { autoCompact: true })
  expect(env).not.toHaveProperty('DISABLE_AUTO_COMPACT')
  expect(env).not.toHaveProperty('CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE')
})

test('root says so in the one word that counts', () => {
  expect(environment({ IS_SANDBOX: 'yes' }, { isRoot: true })['IS_SANDBOX']).toBe('1')
  expect(environment({}, { isRoot: false })).not.toHaveProperty('IS_SANDBOX')
})

test.each([
  ['http://127.0.0.1:9/v1', 'http://127.0.0.1:9'],
  ['http://127.0.0.1:9/', 'http://127.0.0.1:9'],
  ['https://gateway.example/anthropic', 'https://gateway.example/anthropic'],
])('an address is given in the spelling that the program wants: %s', (given, wanted) => {
  expect(environment({ ANTHROPIC_BASE_URL: given })['ANTHROPIC_BASE_URL']).toBe(wanted)
  expect(environment({ VENDOR_BASE_URL: given })['ANTHROPIC_BASE_URL']).toBe(wanted)
})

test('without an address none is made up', () => {
  expect(environment({})).not.toHaveProperty('ANTHROPIC_BASE_URL')
})

test('the key that was checked is the only way to sign in', () => {
  const others = { ANTHROPIC_AUTH_TOKEN: 'token', CLAUDE_CODE_OAUTH_TOKEN: 'token' }
  const env = environment({ ...others, VENDOR_API_KEY: 'key' })
  expect(env['ANTHROPIC_API_KEY']).toBe('key')
  for (const name of Object.keys(others)) expect(env).not.toHaveProperty(name)
  expect(environment(others)).toMatchObject(others)
})

test('nothing leads the program to another provider or into a session around us', () => {
  const foreign = {
    CLAUDECODE: '1',
    CLAUDE_CODE_CHILD_SESSION: '1',
    CLAUDE_CODE_SESSION_ID: 'x',
    CLAUDE_CODE_MESSAGING_SOCKET: '/tmp/x',
    CLAUDE_CODE_USE_MANTLE: '1',
    CLAUDE_CODE_USE_GATEWAY: '1',
    CLAUDE_CONFIG_DIR: '/home/user/.claude',
  }
  const env = environment({ ...foreign, CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9' })
  expect(env['CLAUDE_CONFIG_DIR']).toBe('/kept/claude')
  expect(env['CLAUDE_CODE_MAX_OUTPUT_TOKENS']).toBe('9')
  for (const name of Object.keys(foreign).filter(one => one !== 'CLAUDE_CONFIG_DIR')) {
    expect(env).not.toHaveProperty(name)
  }
})
