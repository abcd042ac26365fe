import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { isProof, tally } from '../support/proof.ts'
import { runScripted, scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'
import { countCalls, runTraced } from '../support/traced.ts'

beforeAll(scriptedWeave, 120_000)

interface Place {
  readonly dir: string
  readonly execution: string
}

/** So that there is much to undo, and to copy. */
const many = Array.from({ length: 12 }, (_, at) => `many-${at}.md`)

/** Each codon writes down what its rig finds, so that it shows what was put right before it began. */
async function place(items: readonly object[]): Promise<Place> {
  const dir = await tempDir({ inMemory: true })
  writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank: items }))
  return { dir, execution: join(dir, 'execution') }
}

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: `Work on ${id}.`,
  checkpointedFiles: ['*.md'],
  ...more,
})

const weave = ({ dir, execution }: Place, ...words: readonly string[]) =>
  runScripted([...words, '-e', execution], { cwd: dir, env: { HOME: join(dir, 'home') } })

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
      const looks = [{ type: 'command', command: { run: 'ls *.md > "$SEEN" 2>/dev/null; true' } }]
      const at = await place([
        codon('a'),
        codon('b', { rigSetup: looks, env: { SEEN: '../seen-by-b' } }),
        codon('c', { rigSetup: [{ type: 'command', command: { run: `touch ${many.join(' ')}` } }] }),
        codon('d'),
      ])
      expect((await weave(at)).status).toBe(0)
      const saved = `${at.dir}-saved`
      cpSync(at.execution, saved, { recursive: true, verbatimSymlinks: true })
      const again = (): void => {
        rmSync(at.execution, { recursive: true })
        cpSync(saved, at.execution, { recursive: true, verbatimSymlinks: true })
      }
      const words = ['rollback', 'a', '-y', '-e', at.execution]
      const counts = await countCalls({ cwd: at.dir, words }, ['unlink', 'unlinkat'])
      let finished = 0
      for (const [call, count] of Object.entries(counts))
        for (const nth of momentsOf(count, 2)) {
          again()
          rmSync(join(at.dir, 'seen-by-b'), { force: true })
          const killed = await runTraced({
            cwd: at.dir,
            words,
            fault: { call, nth, does: 'signal=SIGKILL' },
          })
          expect(killed.status, `${call} ${nth}`).not.toBe(0)
          const begun = existsSync(join(at.execution, '.weave/rollback.json'))
          const next = await weave(at, '--headless')
          expect(next.status, `${call} ${nth}\n${next.stderr}`).toBe(0)
          expect(existsSync(join(at.execution, '.weave/rollback.json'))).toBe(false)
          expect(markdownIn(join(at.execution, 'agentRoot')), `${call} ${nth}`).toEqual(
            [...many, 'a.md', 'b.md', 'c.md', 'd.md'].sort(),
          )
          if (!begun) continue
          finished++
          expect(next.stderr).toContain('had been cut off; it is finished now')
          expect(readFileSync(join(at.execution, 'seen-by-b'), 'utf8')).toBe('a.md\n')
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
            { type: 'command', command: { run: 'ls ../../weave-results > ../seen 2>/dev/null; true' } },
            { type: 'command', command: { run: `touch ${many.join(' ')}` } },
          ],
          outputFiles: [{ copy: ['*.md'] }],
        }),
      ]
      const wanted = [...many, 'a.md'].sort()
      const counted = await place(hank)
      const words = ({ execution }: Place) => ['--headless', '-e', execution]
      const counts = await countCalls({ cwd: counted.dir, words: words(counted) }, ['link', 'linkat'])
      const [call = '', count = 0] = Object.entries(counts).find(([, times]) => times > 0) ?? []
      let cut = 0
      for (const nth of momentsOf(count, 2)) {
        const at = await place(hank)
        await runTraced({
          cwd: at.dir,
          words: words(at),
          fault: { call, nth, does: 'signal=SIGKILL' },
        })
        const results = join(at.dir, 'weave-results')
        const half = existsSync(join(at.execution, '.weave/output-copy.json'))
        const next = await weave(at, '--headless')
        expect(next.status, `link ${nth}\n${next.stderr}`).toBe(0)
        expect(markdownIn(results), `link ${nth}`).toEqual(wanted)
        expect(existsSync(join(at.execution, '.weave/output-copy.json'))).toBe(false)
        if (!half) continue
        cut++
        expect(next.stderr).toContain('it was taken back')
        expect(readFileSync(join(at.execution, 'seen'), 'utf8')).toBe('')
      }
      expect(cut).toBeGreaterThan(0)
      tally('kills survived', cut)
    },
    300_000,
  )
})
