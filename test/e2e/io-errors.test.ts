import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'
import { countCalls, runTraced } from '../support/traced.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const codons = ['a', 'b']

/** What can go wrong where. Of writes those to the journal: Node has pipes of its own, on which nothing ever fails. */
const errors: Readonly<Record<string, readonly string[]>> = {
  write: ['EIO', 'ENOSPC'],
  fdatasync: ['EIO'],
  fsync: ['EIO'],
  openat: ['EMFILE', 'EROFS', 'EIO'],
  rename: ['EROFS', 'EIO'],
  mkdir: ['EROFS', 'ENOSPC'],
}
const momentsOfEach = isProof ? 16 : 1

/** So that its journal is known by name before there is one. */
const execution = (at: HankFolder) => at.path('execution')
const words = (at: HankFolder) => ['--headless', '-e', execution(at)]
const journalOf = (at: HankFolder) => join(execution(at), '.weave/journal/events-000000000001.jsonl')

function place(base: string, name: string): HankFolder {
  const hank = codons.map(id =>
    codon(id, { ...rig(`echo ${id} >> order.md`), outputFiles: [{ copy: [`${id}.md`] }] }),
  )
  return hankFolderIn(join(base, name), hank)
}

describe('a system call that fails', () => {
  verifies(
    ['safety/I12'],
    'at any moment never makes a success of a failure, and the next start comes to the right end',
    async () => {
      const base = await tempDir({ inMemory: true })
      const whole = place(base, 'whole')
      const counted = { cwd: whole.cwd, words: words(whole) }
      const counts = {
        ...(await countCalls(counted, Object.keys(errors))),
        ...(await countCalls(
          { ...counted, words: [...counted.words, '--force', '-y'] },
          ['write'],
          journalOf(whole),
        )),
      }
      const undisturbed = resultsOf(whole)
      let failed = 0
      for (const [call, names] of Object.entries(errors))
        for (const error of names)
          for (const nth of momentsOf(counts[call] ?? 0)) {
            const at = place(base, `${call}-${error}-${nth}`)
            if (await meet(at, { call, error, nth }, undisturbed)) failed++
            tally('I/O-error points', 1)
            rmSync(at.cwd, { recursive: true })
          }
      // Many calls are of Node's own, or of things that a run can do without.
      expect(failed).toBeGreaterThan(isProof ? 12 : 0)
    },
    900_000,
  )
})

/** Spread over the whole run. */
function momentsOf(count: number): readonly number[] {
  const step = count / (momentsOfEach + 1)
  const moments = Array.from({ length: momentsOfEach }, (_, at) => Math.ceil(step * (at + 1)))
  return [...new Set(moments)].filter(nth => nth > 0)
}

interface Meeting {
  readonly call: string
  readonly error: string
  readonly nth: number
}

/** Whether the run failed. A run that says that it is done must be done. */
async function meet(at: HankFolder, { call, error, nth }: Meeting, undisturbed: Results): Promise<boolean> {
  const file = call === 'write' ? { file: journalOf(at) } : {}
  const fault = { call, nth, does: `error=${error}`, ...file } as const
  const first = await runTraced({ cwd: at.cwd, words: words(at), fault })
  expect(first.status, `${call} ${error} ${nth} did not end\n${first.said}`).not.toBeNull()
  const context = `${call} ${error} ${nth}: ${first.status}\n${first.said}`
  if (first.status === 0) expect(resultsOf(at), context).toEqual(undisturbed)
  const second = await at.scripted(...words(at))
  expect(second.status, `${context}\n--- again\n${second.stdout}\n${second.stderr}`).toBe(0)
  expect(resultsOf(at), `${context}\n--- again\n${second.stdout}\n${second.stderr}`).toEqual(undisturbed)
  return first.status !== 0
}

type Results = ReturnType<typeof resultsOf>

function resultsOf(at: HankFolder) {
  return { workspace: filesIn(join(execution(at), 'agentRoot')), outputs: filesIn(at.path('weave-results')) }
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter(name => name.endsWith('.md'))
  return Object.fromEntries(names.sort().map(name => [name, readFileSync(join(folder, name), 'utf8')]))
}
