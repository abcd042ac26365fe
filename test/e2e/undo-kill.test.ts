import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, type HankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'
import { scriptedWeave } from '../support/weave-command.ts'

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
      const there = await place()
      const { at } = there
      const moments = momentsOf(there)
      expect(moments.length).toBeGreaterThan(2 * files)
      let before = 0
      let after = 0
      for (let kill = 0; kill < kills; kill++) {
        const { call, when } = moments[Math.floor(((kill + 0.5) * moments.length) / kills)] as Moment
        restore(there)
        const { signal } = undo(at, ['-e', `inject=${call}:signal=SIGKILL:when=${when}`])
        if (signal === null) continue
        const next = await weave(at)
        expect(next, `killed at ${call} ${when}: ${next.stderr}`).toMatchObject({ status: 0 })
        const hasRunAgain = next.stdout.includes('codon b started')
        if (hasRunAgain) before++
        else after++
        expectExact(at, `killed at ${call} ${when}: b ${hasRunAgain ? 'ran again' : 'did not run'}`)
      }
      expect(before + after).toBeGreaterThanOrEqual(kills - 2)
      expect(after).toBeGreaterThan(0)
      tally('kills of an undo', before + after)
    },
    kills * 60_000,
  )
})

/** Whoever ran `b`, now or before, found all files of `a`; they lie in the archive under their names, and nowhere else. */
function expectExact(at: HankFolder, context: string): void {
  const names = Array.from({ length: files }, (_, n) => String(n + 1)).sort()
  expect(readFileSync(at.execution('found'), 'utf8').trim(), context).toBe(String(files))
  expect(readdirSync(at.execution('rigArchive/b/n')).sort(), context).toEqual(names)
  expect(existsSync(at.workspace('n')), context).toBe(false)
  expect(
    readdirSync(at.workspace())
      .filter(name => name.endsWith('.md'))
      .sort(),
    context,
  ).toEqual(['a.md', 'b.md', 'c.md'])
}

interface Place {
  readonly at: HankFolder
  /** How everything was before the undo. */
  readonly kept: string
}

async function place(): Promise<Place> {
  const base = await tempDir({ inMemory: true })
  const all = { checkpointedFiles: ['**'] }
  const at = hankFolderIn(join(base, 'work'), [
    codon('a', { ...all, ...rig(`mkdir n; for i in $(seq ${files}); do echo $i > n/$i; done`) }),
    codon('b', {
      ...all,
      archiveOnSuccess: ['n/**'],
      outputFiles: [{ beforeCopy: [command('ls n | wc -l > ../found')], copy: ['b.md'] }],
    }),
    codon('c', all),
  ])
  expect(await weave(at)).toMatchObject({ status: 0 })
  expect(await at.scripted('rollback', 'a', '-y')).toMatchObject({ status: 0 })
  const kept = join(base, 'kept')
  cpSync(at.cwd, kept, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return { at, kept }
}

const weave = (at: HankFolder) => at.scripted('--headless', '-y')

function restore({ at, kept }: Place): void {
  rmSync(at.cwd, { recursive: true })
  cpSync(kept, at.cwd, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

interface Moment {
  readonly call: string
  readonly when: number
}

/** Where a kill can come: strace counts each kind of call of each thread, and most are those of one thread. */
function momentsOf({ at, kept }: Place): readonly Moment[] {
  const trace = join(kept, '../trace')
  const { status } = undo(at, ['-o', trace])
  expect(status).toBe(0)
  const counts = new Map<string, Map<string, number>>()
  for (const [, thread = '', call = ''] of readFileSync(trace, 'utf8').matchAll(/^(\d+) +(\w+)\(/gm)) {
    const ofThread = counts.get(thread) ?? new Map<string, number>()
    counts.set(thread, ofThread.set(call, (ofThread.get(call) ?? 0) + 1))
  }
  const sum = (ofThread: ReadonlyMap<string, number>) => [...ofThread.values()].reduce((a, b) => a + b, 0)
  const [busiest = new Map<string, number>()] = [...counts.values()].toSorted((a, b) => sum(b) - sum(a))
  return [...busiest].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, before) => ({ call, when: before + 1 })),
  )
}

function undo({ cwd, env }: HankFolder, options: readonly string[]) {
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
