import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type Ext4Disk, ext4Disk, mayMountExt4 } from '../support/ext4-disk.ts'
import { codon, type HankFolder, hankFolderIn, rig } from '../support/hank-folder.ts'
import { isProof, proofSeed, tally } from '../support/proof.ts'
import { scriptedWeave } from '../support/weave-command.ts'

/**
 * The disk is a file system of its own, and a cut is a copy of it as it is, without what only the memory has. What was told
 * before the cut must be on the copy. Nobody calls `sync` here between the work and the cut.
 */

beforeAll(scriptedWeave, 120_000)

const cutsOfEach = isProof ? 17 : 1
/** The kernel writes by itself after 5 s (names and sizes) and 30 s (bytes): a cut may come before and in between. */
const longestWait = isProof ? 6_500 : 0

describe.skipIf(!mayMountExt4())('a power cut (needs the right to mount a disk)', () => {
  verifies(
    ['attack/archive-power-cut'],
    'after the end of a codon was told takes nothing from its archive and its outputs',
    async () => {
      for (let cut = 0; cut < cutsOfEach; cut++) await cutAfterArchive(cut)
      tally('power cuts', cutsOfEach)
    },
    cutsOfEach * 60_000,
  )

  verifies(
    ['attack/rollback-power-cut'],
    'after a rollback was told takes nothing of it back',
    async () => {
      for (let cut = 0; cut < cutsOfEach; cut++) await cutAfterRollback(cut)
      tally('power cuts', cutsOfEach)
    },
    cutsOfEach * 60_000,
  )

  verifies(
    ['attack/finished-power-cut'],
    'after a hank was told to be done leaves its files, archives and outputs whole',
    async () => {
      for (let cut = 0; cut < cutsOfEach; cut++) await cutAfterEnd(cut)
      tally('power cuts', cutsOfEach)
    },
    cutsOfEach * 60_000,
  )
})

async function cutAfterArchive(cut: number): Promise<void> {
  const at = await place([working('a', cut), { ...working('b', cut), promptText: 'Then hang.' }])
  const run = await at.startScripted(...words(at))
  await run.until('codon b started')
  await aWhile(cut)
  run.child.kill('SIGSTOP')
  const told = { archive: contentsOf(join(executionOf(at), 'rigArchive')), out: contentsOf(outputsOf(at)) }
  expect(Object.keys(told.archive)).toHaveLength(filesOfArchive)
  expect(Object.keys(told.out)).toHaveLength(2)
  at.disk.snapshot()
  await run.kill('SIGKILL')
  await restarted(at)
  const found = { archive: contentsOf(join(executionOf(at), 'rigArchive')), out: contentsOf(outputsOf(at)) }
  expect(found, context(cut)).toEqual(told)
  const back = await at.scripted('rollback', 'a:start', '-y')
  expect(back, back.stderr).toMatchObject({ status: 0 })
  const archived = Object.entries(told.archive).map(([path, digest]) => [path.replace(/^a\//, ''), digest])
  expect(contentsOf(workspaceOf(at)), context(cut)).toMatchObject(Object.fromEntries(archived))
}

async function cutAfterRollback(cut: number): Promise<void> {
  const at = await place([working('a', cut), working('b', cut)])
  await completed(at)
  // What the hank did is on the disk for certain, so that whatever is older than the rollback can come back.
  at.disk.snapshot()
  await restarted(at)
  const before = contentsOf(workspaceOf(at))
  const back = await at.scripted('rollback', 'a', '-y')
  expect(back, back.stderr).toMatchObject({ status: 0 })
  const told = contentsOf(workspaceOf(at))
  expect(told).not.toEqual(before)
  await aWhile(cut)
  at.disk.snapshot()
  await restarted(at)
  expect(contentsOf(workspaceOf(at)), context(cut)).toEqual(told)
  const again = await at.scripted(...words(at))
  expect(again, again.stderr).toMatchObject({ status: 0 })
  expect(contentsOf(workspaceOf(at)), context(cut)).toEqual(before)
}

async function cutAfterEnd(cut: number): Promise<void> {
  const at = await place([working('a', cut), working('b', cut)])
  await completed(at)
  const told = everythingOf(at)
  await aWhile(cut)
  at.disk.snapshot()
  await restarted(at)
  expect(everythingOf(at), context(cut)).toEqual(told)
}

interface Place extends HankFolder {
  readonly disk: Ext4Disk
}

const filesOfArchive = 5

/** Writes over a small file, replaces a large one, and leaves some for the archive; some names are new directories. */
function working(id: string, cut: number) {
  const mark = `${id}-${cut}-${proofSeed ?? 0}`
  const many = Array.from(
    { length: filesOfArchive },
    (_, n) => `echo only copy ${n} of ${mark} > n${id}/d/${n}`,
  )
  const commands = [
    `mkdir -p n${id}/d kept/of/${id}`,
    ...many,
    `echo ${mark} > small`,
    `yes ${mark} | head -c 200000 > kept/large`,
    `echo ${mark} > kept/of/${id}/one`,
  ]
  return codon(id, {
    checkpointedFiles: ['*.md', 'small', 'kept/**'],
    ...rig(commands.join(' && ')),
    outputFiles: [{ copy: [`${id}.md`, `kept/of/${id}/*`] }],
    archiveOnSuccess: [`n${id}/**`],
  })
}

async function place(hank: readonly object[]): Promise<Place> {
  const disk = await ext4Disk()
  return { ...hankFolderIn(disk.path, hank), disk }
}

const outputsOf = (at: Place) => at.path('results/of/it')
const words = (at: Place) => ['hank.json', '-o', outputsOf(at)]

async function completed(at: Place): Promise<void> {
  const { status, stderr, stdout } = await at.scripted(...words(at))
  expect(status, `${stdout}${stderr}`).toBe(0)
}

/** What a killed server had started is gone soon after it. */
async function restarted({ disk }: Place): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      disk.restart()
      return
    } catch (error) {
      if (attempt === 100) throw error
      await setTimeout(100)
    }
  }
}

/** Spread evenly over the longest wait. */
async function aWhile(cut: number): Promise<void> {
  await setTimeout((longestWait * cut) / cutsOfEach)
}

function executionOf(at: Place): string {
  return at.executions().find(dir => existsSync(join(dir, 'agentRoot'))) ?? ''
}

const workspaceOf = (at: Place) => join(executionOf(at), 'agentRoot')

function everythingOf(at: Place) {
  return {
    workspace: contentsOf(workspaceOf(at)),
    archive: contentsOf(join(executionOf(at), 'rigArchive')),
    out: contentsOf(outputsOf(at)),
  }
}

/** Path and digest of every file; those that only we see (a copy of outputs that is not tidied up) do not count. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && !entry.parentPath.includes('/.weave-output'),
  )
  return Object.fromEntries(
    files
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(path => {
        const bytes = readFileSync(path)
        const digest = createHash('sha256').update(bytes).digest('hex')
        return [path.slice(folder.length + 1), `${bytes.length} ${digest}`]
      }),
  )
}

function context(cut: number): string {
  return `cut ${cut}, ${Math.round((longestWait * cut) / cutsOfEach)} ms after it was told`
}
