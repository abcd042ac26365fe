import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { encodeLine } from '../../packages/runtime/src/journal/line.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolderIn, journalOf } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'

/** One execution with a history: codon a is done, b is to run. Every test spoils it anew. */
const cwd = mkdtempSync(join(tmpdir(), 'weave-trouble-'))
const at = hankFolderIn(cwd, {
  meta: { name: 't', version: '1.0.0' },
  hank: ['a', 'b'].map(id => codon(id, { checkpointedFiles: ['**'] })),
})
const weave = at.scripted
let execution = ''
const saved = join(cwd, 'saved')
const segment = () => join(execution, '.weave/journal/events-000000000001.jsonl')
const start = () => weave('--headless', '--port', '0', '-y')

beforeAll(async () => {
  await scriptedWeave()
  const run = await start()
  if (run.status !== 0) throw new Error(run.stderr)
  execution = at.execution()
  const back = await weave('rollback', 'a', '-y')
  if (back.status !== 0) throw new Error(back.stderr)
  cpSync(execution, saved, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}, 240_000)

function restore(): void {
  rmSync(execution, { recursive: true, force: true })
  cpSync(saved, execution, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
}
beforeEach(restore)

afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const withoutStack = (said: string) => expect(said).not.toMatch(/\n\s+at .*:\d+/)

verifies(
  ['attack/journal-gone'],
  'a journal that is gone, empty or without its beginning is refused with a cure, and no codon runs again',
  async () => {
    const losses = {
      removed: () => rmSync(segment()),
      empty: () => writeFileSync(segment(), ''),
      'without the state too': () => {
        rmSync(segment())
        rmSync(join(execution, '.weave/state.json'))
      },
      'without its beginning': () => {
        const lines = readFileSync(segment(), 'utf8').split('\n')
        writeFileSync(segment(), lines.slice(5).join('\n'))
      },
    }
    for (const [name, lose] of Object.entries(losses)) {
      restore()
      lose()
      const before = readFileSync(join(execution, 'agentRoot/a.md'), 'utf8')
      const run = await start()
      expect([run.status, name], run.stderr).toEqual([1, name])
      expect(run.stderr, name).toContain('so nothing is started in it')
      expect(run.stderr, name).toMatch(/Restore .*journal from a backup; or begin another .* --start-new/)
      expect(run.stderr + run.stdout, name).not.toContain('started:')
      expect(readFileSync(join(execution, 'agentRoot/a.md'), 'utf8')).toBe(before)
      expect(existsSync(join(execution, 'agentRoot/b.md')), name).toBe(
        existsSync(join(saved, 'agentRoot/b.md')),
      )
    }
    expect((await weave('list')).stderr).toContain('5 events are missing')
  },
  120_000,
)

verifies(
  ['attack/journal-gap'],
  'missing lines and a damaged line before the cached state are told by journal and list, and at every start',
  async () => {
    const lines = readFileSync(segment(), 'utf8').split('\n')
    const third = lines[2]?.replace('"seq":3', '"seq":9') ?? ''
    writeFileSync(
      segment(),
      [...lines.slice(0, 2), third, ...lines.slice(3, 9), ...lines.slice(12)].join('\n'),
    )
    expect(existsSync(join(execution, '.weave/state.json'))).toBe(true)
    const journal = await weave('journal')
    expect(journal.status).toBe(0)
    expect(journal.stderr).toMatch(/^3 lines are missing before events-000000000001\.jsonl at byte \d+$/m)
    expect(journal.stderr).toMatch(/^damaged line in events-000000000001\.jsonl at byte \d+$/m)
    const list = await weave('list')
    expect(list.stderr).toContain('3 events are missing')
    const run = await start()
    expect(run.status, run.stderr).toBe(0)
    expect(run.stderr).toContain('The journal has a gap: 3 events are missing')
    expect(run.stderr).toContain('The journal has 1 damaged line')
    // Also when nothing is left to do.
    expect((await start()).stderr).toContain('The journal has a gap: 3 events are missing')
  },
  120_000,
)

verifies(
  ['attack/strange-journal'],
  'a FIFO or a directory in the place of a journal, state, lock or execution file hangs and breaks no command',
  async () => {
    const make = { FIFO: (path: string) => execFileSync('mkfifo', [path]), directory: mkdirSync } as const
    const places = [
      'journal/events-000000000001.jsonl',
      'journal',
      'state.json',
      'lock.json',
      'execution.json',
    ]
    for (const place of places) {
      for (const [kind, replace] of Object.entries(make)) {
        restore()
        const path = join(execution, '.weave', place)
        rmSync(path, { recursive: true, force: true })
        replace(path)
        const all = [['journal'], ['checkpoints'], ['report', '--json'], ['report', '--costs']]
        const commands = [['list'], ...(place.startsWith('journal/') ? all : [])]
        for (const words of commands) {
          const { status, stderr, stdout } = await weave(...words)
          expect([0, 1], `${kind} ${place}: ${words.join(' ')}`).toContain(status)
          withoutStack(stderr + stdout)
          if (words[0] === 'list' && place.startsWith('journal/'))
            expect(stderr, kind).toContain(`${path} is not a regular file`)
          if (words[0] === 'list' && place === 'lock.json') expect(stderr).toContain('is not a regular file')
        }
        const run = await weave('--headless', '--port', '0', '-y', '-e', execution)
        expect(run.status, `${kind} ${place}: ${run.stderr}`).toBe(place === 'state.json' ? 0 : 1)
        withoutStack(run.stderr)
        if (place.startsWith('journal/')) expect(run.stderr).toContain(`${path} is not a regular file`)
      }
    }
  },
  240_000,
)

/** What a second server would have written while the first was at work. */
function lineOfOther(seq: number): string {
  const event = { seq, id: `evt_other${seq}`, timestamp: '2026-01-01T00:00:00.000Z', type: 'info' }
  return encodeLine(event, JSON.stringify({ message: `another writer ${seq}` }))
}

verifies(
  ['attack/two-writers-repaired'],
  'lines of a second writer among those of the first are told by list, journal and report, and put aside by a start',
  async () => {
    const lines = readFileSync(segment(), 'utf8').split('\n').slice(0, -1)
    const from = lines.length - 12
    // In the order in which two who do not know of each other would write: by turns, each in pieces.
    const others = [from + 1, from + 2, from + 3, from + 4, from + 5].map(lineOfOther)
    const own = lines.map(line => `${line}\n`)
    const mixed = [
      ...own.slice(0, from + 3),
      ...others.slice(0, 2),
      ...own.slice(from + 3, from + 7),
      ...others.slice(2),
      ...own.slice(from + 7),
    ]
    writeFileSync(segment(), mixed.join(''))
    const journal = await weave('journal')
    expect(journal.status).toBe(0)
    expect(journal.stderr.match(/line of a second writer in/g)).toHaveLength(5)
    expect((await weave('list')).stderr).toContain('5 lines of a second writer')
    const report = await weave('report', '--json')
    expect(report.status, report.stderr).toBe(0)
    expect(report.stdout).toContain('5 lines of the journal are those of a second writer')
    const run = await start()
    expect(run.status, run.stderr).toBe(0)
    const aside = join(execution, '.weave/journal/events-000000000001.other-writer')
    expect(run.stderr).toContain(`5 lines of the other one are now in ${aside}.`)
    expect(readFileSync(aside, 'utf8')).toBe(others.join(''))
    expect(readFileSync(segment(), 'utf8').startsWith(own.join(''))).toBe(true)
    const seqs = journalOf(execution).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    expect((await weave('list')).stderr).toBe('')
  },
  120_000,
)

verifies(
  ['attack/store-gone'],
  'a store of checkpoints that is gone is noticed before a codon starts, with a cure',
  async () => {
    for (const lose of ['removed', 'emptied'] as const) {
      rmSync(join(execution, '.weave/checkpoints'), { recursive: true })
      if (lose === 'emptied') mkdirSync(join(execution, '.weave/checkpoints'))
      const run = await start()
      expect(run.status, run.stderr).toBe(1)
      expect(run.stderr).toMatch(/The checkpoints of .* are gone: /)
      expect(run.stderr).toMatch(/Restore .*checkpoints from a backup; or begin another .* --start-new/)
      expect(run.stdout + run.stderr).not.toContain('codon b started')
    }
  },
  120_000,
)
