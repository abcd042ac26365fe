import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, jsonLines } from '../support/hank-folder.ts'
import { tempDir } from '../support/temp-dir.ts'
import { launcher, root, runCli, runScripted, scriptedWeave, version } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const weave = (...words: readonly string[]) => runCli(words)

async function scripted(...words: readonly string[]) {
  return runScripted(words, { cwd: root, env: { HOME: await tempDir() } })
}

describe('the built command', () => {
  verifies(['d2/flag-version'], 'prints its version', () => {
    expect(weave('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(weave('--version', '--help').stdout).toBe(`${version}\n`)
  })

  verifies(['d2/flag-help'], 'prints help without hidden flags', () => {
    const { status, stdout } = weave('--help')
    expect(status).toBe(0)
    expect(stdout).toContain('Usage: weave [hank]')
    expect(weave('-h').stdout).toBe(stdout)
    expect(stdout).not.toContain('warden')
  })

  verifies(
    ['d2/unknown-flag-suggestion', 'd2/unknown-flag-exit', 'd2/exit-2-usage'],
    'refuses an unknown flag with the nearest one and exit code 2',
    () => {
      const { status, stdout, stderr } = weave('--excution=x')
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toContain('Unknown option --excution. Did you mean --execution?')
    },
  )
})

test('a reader who stops reading is no fault', () => {
  const shell = spawnSync('/bin/sh', ['-c', `"${process.execPath}" "${launcher}" models | head -1`], {
    encoding: 'utf8',
  })
  expect(shell.stdout).toContain('MODEL')
  expect(shell.stderr).toBe('')
})

test('somebody without a hank hears how to begin', async () => {
  const { status, stderr } = runCli([], { cwd: await tempDir() })
  expect(status).toBe(1)
  expect(stderr).toMatch(/hank\.json does not exist[\s\S]*weave init/)
})

describe('a thread through the house', () => {
  test('loads, plans and runs a one-codon hank, tells every event and leaves a file and a journal', async () => {
    const dir = await tempDir()
    const at = await hankFolder([codon('greet', { promptText: 'Write a short greeting.' })])
    const { status, stdout } = await scripted(at.path('hank.json'), '--json', '-e', dir)
    expect(status).toBe(0)
    const events = jsonLines(stdout)
    expect(events.map(event => event.seq)).toEqual(events.map((_, at) => at + 1))
    const types = events.map(({ type }) => type).filter(type => !/^(state|file|filetree)\./.test(type))
    expect(types).toEqual([
      'preflight.result',
      'run.started',
      'codon.started',
      'assistant.action',
      'assistant.action',
      'tool.result',
      'token.usage',
      'assistant.action',
      'codon.completed',
      'run.completed',
      'server.idle',
    ])
    expect(readFileSync(join(dir, 'agentRoot/greet.md'), 'utf8')).toContain('> Write a short greeting')
    expect(existsSync(join(dir, '.weave/journal/events-000000000001.jsonl'))).toBe(true)
  })

  test('says what is wrong with a hank and exits with 1', async () => {
    const dir = await tempDir()
    const { status, stderr } = await scripted(join(dir, 'nothing.json'))
    expect(status).toBe(1)
    expect(stderr).toContain('nothing.json')
  })
})
