import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { isProof, tally } from '../support/proof.ts'
import { runScripted, scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

beforeAll(scriptedWeave, 120_000)

const files = 30
/** System calls that change names, at one of which the kill comes. */
const calls = 'unlink,unlinkat,link,linkat,mkdir,mkdirat,rmdir,rename,renameat,renameat2'
const kills = isProof ? 36 : 4

describe('the undo of a rollback', () => {
  verifies(
    ['attack/undo-killed-archiving', 'safety/I5'],
    'killed anywhere, while it archives again too, ends exactly before or exactly after',
    async () => {
      const at = await place()
      const moments = countCalls(at)
      expect(moments).toBeGreaterThan(2 * files)
      let before = 0
      let after = 0
      for (let kill = 0; kill < kills; kill++) {
        const when = 1 + Math.floor(((kill + 0.5) * moments) / kills)
        restore(at)
        const { signal } = undo(at, ['-e', `inject=${calls}:signal=SIGKILL:when=${when}`])
        if (signal === null) continue
        const next = await weave(at)
        expect(next, `killed at ${when}: ${next.stderr}`).toMatchObject({ status: 0 })
        const hasRunAgain = next.stdout.includes('codon b started')
        if (hasRunAgain) before++
        else after++
        expectExact(at, `killed at ${when}: b ${hasRunAgain ? 'ran again' : 'did not run'}`)
      }
      expect(before + after).toBeGreaterThanOrEqual(kills - 2)
      expect(after).toBeGreaterThan(0)
      tally('kills of an undo', before + after)
    },
    kills * 60_000,
  )
})

/** Whoever ran `b`, now or before, found all files of `a`; they lie in the archive under their names, and nowhere else. */
function expectExact(at: Place, context: string): void {
  const execution = executionOf(at)
  const names = Array.from({ length: files }, (_, n) => String(n + 1)).sort()
  expect(readFileSync(join(execution, 'found'), 'utf8').trim(), context).toBe(String(files))
  expect(readdirSync(join(execution, 'rigArchive/b/n')).sort(), context).toEqual(names)
  expect(existsSync(join(execution, 'agentRoot/n')), context).toBe(false)
  expect(
    readdirSync(join(execution, 'agentRoot'))
      .filter(name => name.endsWith('.md'))
      .sort(),
    context,
  ).toEqual(['a.md', 'b.md', 'c.md'])
}

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** How everything was before the undo. */
  readonly kept: string
}

async function place(): Promise<Place> {
  const base = await tempDir({ inMemory: true })
  const at = { cwd: join(base, 'work'), env: { HOME: join(base, 'work/home') }, kept: join(base, 'kept') }
  mkdirSync(at.cwd)
  const command = (run: string) => ({ type: 'command', command: { run } })
  const codon = (id: string, more: object = {}) => ({
    id,
    name: id,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: `Work on ${id}.`,
    checkpointedFiles: ['**'],
    ...more,
  })
  const hank = [
    codon('a', { rigSetup: [command(`mkdir n; for i in $(seq ${files}); do echo $i > n/$i; done`)] }),
    codon('b', {
      archiveOnSuccess: ['n/**'],
      outputFiles: [{ beforeCopy: [command('ls n | wc -l > ../found')], copy: ['b.md'] }],
    }),
    codon('c'),
  ]
  writeFileSync(join(at.cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  expect(await weave(at)).toMatchObject({ status: 0 })
  expect(await weave(at, 'rollback', 'a', '-y')).toMatchObject({ status: 0 })
  cpSync(at.cwd, at.kept, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return at
}

function executionOf({ cwd }: Place): string {
  const base = join(cwd, 'home/.weave-executions')
  return join(base, readdirSync(base)[0] ?? '')
}

const weave = ({ cwd, env }: Place, ...words: readonly string[]) =>
  runScripted(words.length === 0 ? ['--headless', '-y'] : words, { cwd, env })

function restore({ cwd, kept }: Place): void {
  rmSync(cwd, { recursive: true })
  cpSync(kept, cwd, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

/** How many moments there are: as many as an undo that nobody kills needs calls. */
function countCalls(at: Place): number {
  const trace = join(at.kept, '../trace')
  const { status } = undo(at, ['-o', trace])
  expect(status).toBe(0)
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter(line => /^\d+ +\w+\(/.test(line)).length
}

function undo({ cwd, env }: Place, options: readonly string[]) {
  const traced = ['-f', '-qq', '-e', `trace=${calls}`, ...(options.includes('-o') ? [] : ['-o', '/dev/null'])]
  return spawnSync('strace', [...traced, ...options, process.execPath, program, 'rollback', '--undo', '-y'], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  })
}

let program = ''
beforeAll(async () => {
  program = await scriptedWeave()
}, 120_000)
