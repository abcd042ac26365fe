import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, loop } from '../support/hank-folder.ts'
import { launcher } from '../support/weave-command.ts'

/** What the last of these words can become. */
function offers({ weave }: HankFolder, ...words: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = weave('complete', '--', ...words)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').filter(line => line !== '')
}

describe('weave complete', () => {
  verifies(
    ['release/completion-asks'],
    'knows executions, codons, checkpoints, models and harnesses, and nothing that a shell could expand',
    async () => {
      const at = await hankFolder([codon('draft'), loop('twice', [codon('review')])])
      expect((await at.scripted('--headless', '--port', '0')).status).toBe(0)
      const [dir = ''] = at.executions()
      const name = dir.slice(at.executionsDir.length + 1)
      mkdirSync(join(at.executionsDir, '$(touch planted)'))
      mkdirSync(join(at.executionsDir, 'a b'))
      for (const words of [
        ['journal', ''],
        ['journal', '-e', ''],
        ['stop', ''],
        ['-e', ''],
        ['rm', ''],
      ])
        expect(offers(at, ...words)).toEqual(['@last', name])
      expect(offers(at, 'show', 'han')).toEqual([name])
      expect(offers(at, 'journal', '--codon', '')).toEqual(['draft', 'review#0', 'review#1'])
      expect(offers(at, 'rollback', 'd')).toEqual(['draft', 'draft:start'])
      expect(offers(at, 'diff', 'draft', '')).toContain('last-success')
      expect(offers(at, '-m', 'hai')).toContain('haiku')
      expect(offers(at, 'harness', '')).toEqual(['list', 'add', 'remove'])
      expect(offers(at, 'harness', 'add', "''")).toEqual([
        'claude',
        'pi',
        'gemini',
        'opencode',
        'codex',
        'claude-acp',
      ])
      expect(offers(at, 'rep')).toEqual(['replay', 'report'])
      expect(offers(at, 'list', '--status', 'r')).toEqual(['running'])
      expect(offers(at, 'list', '--st')).toEqual(['--status'])
      expect(offers(at, 'agent')).toEqual([])

      // As bash asks.
      const script = at.weave('completion', 'bash').stdout
      at.write({
        'weave.bash': script,
        'bin/weave': `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`,
      })
      const ask = `COMP_WORDS=(weave journal -e ''); COMP_CWORD=3; _weave; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout } = spawnSync(
        'bash',
        ['--norc', '-c', `chmod +x bin/weave; source weave.bash; ${ask}`],
        {
          cwd: at.cwd,
          env: { ...at.env, PATH: `${at.path('bin')}:${process.env['PATH']}` },
          encoding: 'utf8',
        },
      )
      expect(stdout.split('\n').slice(0, 2)).toEqual(['@last', name])
      expect(at.weave('completion', 'powershell').stdout).toContain(`weave complete '--' @before $current`)
    },
    60_000,
  )

  verifies(
    ['release/completion-quick'],
    'takes little more than an empty Node',
    async () => {
      const at = await hankFolder([codon('only')])
      const seconds = (...words: readonly string[]): number => {
        const { stderr } = spawnSync(
          'bash',
          ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', '-', ...words],
          {
            cwd: at.cwd,
            env: { ...at.env, PATH: process.env['PATH'] },
            encoding: 'utf8',
          },
        )
        const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
        return user + system
      }
      for (const words of [
        ['journal', ''],
        ['rollback', ''],
        ['-m', ''],
      ]) {
        // Side by side, since others may be at work on the machine; the best of some is what it takes by itself.
        const ratios = Array.from({ length: 7 }, () => {
          const empty = seconds(process.execPath, '-e', '0')
          return seconds(process.execPath, launcher, 'complete', '--', ...words) / empty
        })
        expect(Math.min(...ratios)).toBeLessThan(4)
      }
    },
    60_000,
  )
})
