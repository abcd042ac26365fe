import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { newSessionId, openAgentHome, writeFiles } from '../../../src/harness/acp/agent-home.ts'
import { agentEnvironment, fillRow } from '../../../src/harness/acp/fill-row.ts'

async function conversation(base: string, previous: string | undefined, words: string): Promise<string> {
  const home = openAgentHome(base)
  await home.open(previous)
  const sessionId = newSessionId()
  await home.begin({ sessionId, agentSessionId: 'theirs' })
  writeFileSync(join(home.path, 'said'), words)
  await home.keep()
  return sessionId
}

describe('the home of an agent', () => {
  verifies(['acp/fork'], 'holds a copy of the conversation that goes on, and no other', async () => {
    const base = join(await tempDir(), 'acp-x')
    const first = await conversation(base, undefined, 'one')
    const second = await conversation(base, first, 'two')
    const home = openAgentHome(base)
    expect(await home.open(first)).toEqual({ agentSessionId: 'theirs' })
    expect(readFileSync(join(home.path, 'said'), 'utf8')).toBe('one')
    await home.open(second)
    expect(readFileSync(join(home.path, 'said'), 'utf8')).toBe('two')
    await home.open(undefined)
    expect(existsSync(join(home.path, 'said'))).toBe(false)
  })

  test('of a killed run is kept by the next one', async () => {
    const base = join(await tempDir(), 'acp-x')
    const killed = openAgentHome(base)
    await killed.open(undefined)
    const sessionId = newSessionId()
    await killed.begin({ sessionId, agentSessionId: 'theirs' })
    writeFileSync(join(killed.path, 'said'), 'half')
    const next = openAgentHome(base)
    await next.open(undefined)
    expect(existsSync(join(next.path, 'said'))).toBe(false)
    await next.open(sessionId)
    expect(readFileSync(join(next.path, 'said'), 'utf8')).toBe('half')
  })

  test('knows no conversation of another name, and leads nowhere else', async () => {
    const base = join(await tempDir(), 'acp-x')
    const first = await conversation(base, undefined, 'one')
    mkdirSync(join(base, 'sessions', first, 'home/deep'))
    symlinkSync('/etc', join(base, 'sessions', first, 'home/link'))
    for (const id of ['../../secret', 'acp_none', ''])
      expect(await openAgentHome(base).open(id)).toBeUndefined()
    const home = openAgentHome(base)
    await home.open(first)
    await writeFiles(home.path, { 'deep/er/file.json': '{}' })
    expect(readFileSync(join(home.path, 'deep/er/file.json'), 'utf8')).toBe('{}')
  })
})

const word = (name: string) => `\${${name}}`

describe('the words of a row', () => {
  const words = {
    url: 'http://localhost:1',
    api: 'http://localhost:1/v1',
    key: 'a"b\\c',
    model: 'm',
    home: '/h',
    autoCompact: false,
    context: 10,
    output: 5,
  }

  test('are filled in once, and quoted where the text has quotes', () => {
    const row = {
      command: ['x', `-m=${word('model')}`, word('other')],
      env: { PLAIN: word('key'), JSON: `{"key":"${word('key')}","auto":${word('autoCompact')}}` },
      dialect: 'openai' as const,
    }
    const { args, env } = fillRow(row, words)
    expect(args).toEqual(['-m=m', word('other')])
    expect(env['PLAIN']).toBe('a"b\\c')
    expect(JSON.parse(env['JSON'] ?? '')).toEqual({ key: 'a"b\\c', auto: false })
  })

  test('win over the environment, from which nothing leads elsewhere', () => {
    const env = {
      HOME: '/me',
      OPENAI_API_KEY: 'mine',
      OPENAI_BASE_URL: 'x',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CODEX_HOME: 'y',
    }
    const own = { OPENAI_API_KEY: 'theirs' }
    expect(agentEnvironment(env, { dialect: 'openai' }, own)).toEqual({
      HOME: '/me',
      OPENAI_API_KEY: 'theirs',
    })
    expect(agentEnvironment(env, { dialect: 'none' }, {})).toEqual(env)
  })
})
