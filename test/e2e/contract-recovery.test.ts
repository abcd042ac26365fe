import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, command, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { countCalls, runTraced } from '../support/traced.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

/** So that there is much to undo, and to copy. */
const many = Array.from({ length: 12 }, (_, at) => `many-${at}.md`)

/** Each codon writes down what its rig finds, so that it shows what was put right before it began. */
async function place(items: readonly object[]): Promise<Place> {
  const at = await hankFolder(items, {}, { inMemory: true })
  const dir = at.path('execution')
  return { ...at, dir, run: (...words) => at.scripted(...words, '-e', dir) }
}

interface Place extends HankFolder {
  /** The execution, known by name before there is one. */
  readonly dir: string
  readonly run: HankFolder['scripted']
}

/** Every one of so many moments, or a few of them. */
function momentsOf(count: number, sample: number): readonly number[] {
  if (isProof || count < sample) return Array.from({ length: count }, (_, at) => at + 1)
  return [...new Set(Array.from({ length: sample }, (_, at) => Math.ceil((count * (at + 1)) / sample)))]
}

const markdownIn = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter(name => name.endsWith('.md'))
        .sort()
    : []

describe('a server that starts after a kill', () => {
  verifies(
    ['d7/rollback-kill-repaired', 'd4/start-repairs-rollback'],
    'finishes a rollback that was cut off at any step, or finds it not begun, before a codon starts',
    async () => {
      const looks = rig('ls *.md > "$SEEN" 2>/dev/null; true')
      const at = await place([
        codon('a'),
        codon('b', { ...looks, env: { SEEN: '../seen-by-b' } }),
        codon('c', rig(`touch ${many.join(' ')}`)),
        codon('d'),
      ])
      expect((await at.run()).status).toBe(0)
      const saved = `${at.cwd}-saved`
      cpSync(at.dir, saved, { recursive: true, verbatimSymlinks: true })
      const again = (): void => {
        rmSync(at.dir, { recursive: true })
        cpSync(saved, at.dir, { recursive: true, verbatimSymlinks: true })
      }
      const words = ['rollback', 'a', '-y', '-e', at.dir]
      const counts = await countCalls({ cwd: at.cwd, words }, ['unlink', 'unlinkat'])
      let finished = 0
      for (const [call, count] of Object.entries(counts))
        for (const nth of momentsOf(count, 2)) {
          again()
          rmSync(join(at.cwd, 'seen-by-b'), { force: true })
          const killed = await runTraced({
            cwd: at.cwd,
            words,
            fault: { call, nth, does: 'signal=SIGKILL' },
          })
          expect(killed.status, `${call} ${nth}`).not.toBe(0)
          const begun = existsSync(join(at.dir, '.weave/rollback.json'))
          const next = await at.run('--headless')
          expect(next.status, `${call} ${nth}\n${next.stderr}`).toBe(0)
          expect(existsSync(join(at.dir, '.weave/rollback.json'))).toBe(false)
          expect(markdownIn(join(at.dir, 'agentRoot')), `${call} ${nth}`).toEqual(
            [...many, 'a.md', 'b.md', 'c.md', 'd.md'].sort(),
          )
          if (!begun) continue
          finished++
          expect(next.stderr).toContain('had been cut off; it is finished now')
          expect(readFileSync(join(at.dir, 'seen-by-b'), 'utf8')).toBe('a.md\n')
        }
      rmSync(saved, { recursive: true })
      expect(finished).toBeGreaterThan(0)
      tally('kills survived', finished)
    },
    300_000,
  )

  verifies(
    ['d4/start-repairs-output-copy'],
    'takes a copy of outputs back that was cut off, before the codon copies again',
    async () => {
      const hank = [
        codon('a', {
          rigSetup: [
            command('ls ../../weave-results > ../seen 2>/dev/null; true'),
            command(`touch ${many.join(' ')}`),
          ],
          outputFiles: [{ copy: ['*.md'] }],
        }),
      ]
      const wanted = [...many, 'a.md'].sort()
      const counted = await place(hank)
      const words = ({ dir }: Place) => ['--headless', '-e', dir]
      const counts = await countCalls({ cwd: counted.cwd, words: words(counted) }, ['link', 'linkat'])
      const [call = '', count = 0] = Object.entries(counts).find(([, times]) => times > 0) ?? []
      let cut = 0
      for (const nth of momentsOf(count, 2)) {
        const at = await place(hank)
        await runTraced({
          cwd: at.cwd,
          words: words(at),
          fault: { call, nth, does: 'signal=SIGKILL' },
        })
        const results = join(at.cwd, 'weave-results')
        const half = existsSync(join(at.dir, '.weave/output-copy.json'))
        const next = await at.run('--headless')
        expect(next.status, `link ${nth}\n${next.stderr}`).toBe(0)
        expect(markdownIn(results), `link ${nth}`).toEqual(wanted)
        expect(existsSync(join(at.dir, '.weave/output-copy.json'))).toBe(false)
        if (!half) continue
        cut++
        expect(next.stderr).toContain('it was taken back')
        expect(readFileSync(join(at.dir, 'seen'), 'utf8')).toBe('')
      }
      expect(cut).toBeGreaterThan(0)
      tally('kills survived', cut)
    },
    300_000,
  )
})
