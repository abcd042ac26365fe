import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { tally } from '../support/proof.ts'
import { type CliResult, root, scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

/** How much space a run finds, in pages; `WEAVE_PROOF=1` for every number of pages up to what a whole run needs. */
const some = [0, 5, 12, 21, 30]
const isProof = process.env['WEAVE_PROOF'] !== undefined
const codons = ['a', 'b', 'c']
const data = 'a,b\n1,2\n'.repeat(1_000)

const mayMount = process.platform === 'linux' && process.getuid?.() === 0 && canMount()

describe.skipIf(!mayMount)('a disk that is full (needs the right to mount one)', () => {
  verifies(
    ['safety/I11'],
    'is told, breaks nothing, and the run goes on to the same end when there is space again',
    async () => {
      const whole = await place()
      const before = freePages(whole.disk)
      const undisturbed = await run(whole)
      expect(undisturbed.status, undisturbed.stderr).toBe(0)
      const files = workspaceOf(whole)
      const needed = before - freePages(whole.disk)
      let failed = 0
      for (const pages of isProof ? Array.from({ length: needed }, (_, at) => at) : some)
        if (await meet(pages, files)) failed++
      expect(failed).toBeGreaterThan(2)
      tally('disk-full moments', failed)
    },
    600_000,
  )
})

/** Whether the disk was too small. */
async function meet(pages: number, undisturbed: ReadonlyMap<string, string>): Promise<boolean> {
  const at = await place()
  const ballast = fill(at, pages)
  const first = await run(at)
  const context = `with ${pages} pages\n${first.stdout}\n${first.stderr}`
  if (first.status !== 0) {
    expect(first.status, context).toBe(1)
    expect(first.stderr, context).toContain('no space left')
  }
  expect(readFileSync(join(at.disk, 'data/table.csv'), 'utf8'), context).toBe(data)
  rmSync(ballast)
  const second = await run(at)
  const both = `${context}\n--- with space again\n${second.stdout}\n${second.stderr}`
  expect(second.status, both).toBe(0)
  expect(workspaceOf(at), both).toEqual(undisturbed)
  expectOutputs(join(at.disk, 'out'), undisturbed)
  expect(readFileSync(join(at.disk, 'data/table.csv'), 'utf8'), both).toBe(data)
  return first.status !== 0
}

/** Each once and whole: what a codon copied that did not complete was taken back. */
function expectOutputs(folder: string, undisturbed: ReadonlyMap<string, string>): void {
  const names = codons.map(id => `${id}.md`)
  expect(readdirSync(folder).sort()).toEqual(names)
  for (const name of names) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(undisturbed.get(name))
}

interface Place {
  /** Its home is on the disk. */
  readonly at: HankFolder
  /** A small disk of its own, with the data, the execution and the outputs on it. */
  readonly disk: string
}

async function place(): Promise<Place> {
  const hank = codons.map(id =>
    codon(id, {
      checkpointedFiles: ['*.md', '*.txt'],
      ...rig(`echo ${id} >> order.txt`),
      outputFiles: [{ copy: [`${id}.md`] }],
    }),
  )
  const at = await hankFolder(hank)
  const disk = at.path('disk')
  mkdirSync(disk)
  mount(disk)
  onTestFinished(() => void spawnSync('umount', [disk]))
  at.write({ 'disk/data/table.csv': data })
  return { at: at.with({ HOME: join(disk, 'home') }), disk }
}

function run({ at, disk }: Place): Promise<CliResult> {
  return at.scripted('hank.json', join(disk, 'data'), '-o', join(disk, 'out'))
}

function workspaceOf({ at }: Place): ReadonlyMap<string, string> {
  const folders = at.executions().map(execution => join(execution, 'agentRoot'))
  const folder = folders.find(path => existsSync(path)) ?? ''
  const names = readdirSync(folder).filter(one => one !== 'read_only_data_source')
  return new Map(names.sort().map(one => [one, readFileSync(join(folder, one), 'utf8')]))
}

const pageBytes = 4096

/** Leaves so many pages free. */
function fill({ disk }: Place, pages: number): string {
  const path = join(disk, 'ballast')
  const file = openSync(path, 'w')
  const page = Buffer.alloc(pageBytes, 1)
  for (let left = freePages(disk); left > pages; left--) writeSync(file, page)
  closeSync(file)
  return path
}

function freePages(disk: string): number {
  const { bavail, bsize } = statfsSync(disk)
  return Math.floor((bavail * bsize) / pageBytes)
}

function mount(disk: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).status === 0
}

function canMount(): boolean {
  return spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', root]).status === 0
}
