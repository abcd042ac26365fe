import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { tempDir } from '../support/temp-dir.ts'
import { launcher, root, scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

interface Command {
  readonly line: string
  readonly prints: string
}

const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')

/** What a reader types, and what the page says is printed then. */
function commandsOf(text: string): readonly Command[] {
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks.flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(part => {
        const [line = '', ...prints] = part.split('\n')
        return { line, prints: prints.join('\n').trimEnd() }
      }),
  )
}

/** `…` alone on a line is any number of lines, inside of a line any text. */
function patternOf(prints: string): RegExp {
  const lines = prints.split('\n').map(line => {
    if (line === '…') return '(?:.*\\n)*?'
    const escaped = line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')
    return `${escaped.replaceAll(/ {2,}/g, ' +')} *\\n`
  })
  return new RegExp(`^${lines.join('')}$`)
}

test('the tutorial can be followed literally, and everything is printed as it says', async () => {
  const base = await tempDir()
  const bin = join(base, 'bin')
  mkdirSync(bin)
  mkdirSync(join(base, 'empty'))
  writeFileSync(join(bin, 'weave'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  chmodSync(join(bin, 'weave'), 0o755)
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: join(base, 'home'), PWD: join(base, 'empty') }
  let cwd = join(base, 'empty')
  const commands = commandsOf(page)
  expect(commands.length).toBeGreaterThan(12)
  for (const { line, prints } of commands) {
    const after = join(base, 'after')
    const script = `{ ${line}\n} 2>&1; pwd > "${after}"`
    const { stdout } = spawnSync('/bin/sh', ['-c', script], { cwd, env, encoding: 'utf8' })
    cwd = readFileSync(after, 'utf8').trim()
    const printed = stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`
    if (prints === '') expect(printed, line).toBe('')
    else expect(printed, `$ ${line}`).toMatch(patternOf(prints))
  }
}, 180_000)
