import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { RigOperation } from '../../src/hank/index.ts'
import type { RecordedEvent } from '../../src/journal/index.ts'
import { executionLayout } from '../../src/workspace/index.ts'
import { codonPlan, planOf } from '../runner/plans.ts'
import { type ObservedRun, observe } from './observed-run.ts'

/** One codon that checkpoints everything: the real runner, watch and checkpoints. Its agent is quiet after `work`. */
async function codon(
  work: (workspace: string) => void,
  rig: readonly RigOperation[] = [],
): Promise<{ readonly run: ObservedRun; readonly workspace: string }> {
  let workspace = ''
  const run = await observe({
    plan: () => planOf(codonPlan('a', { checkpointedFiles: ['**'], rig })),
    work(cwd) {
      workspace = cwd
      work(cwd)
      return []
    },
    mostCalls: 0,
  })
  return { run, workspace }
}

/** Text of a path, or its SHA-256 where an event leaves the content out. */
type Contents = Readonly<Record<string, string>>

/** What a client knows of the files when it hears of the last checkpoint. */
function emittedUntilCheckpoint(events: readonly RecordedEvent[]): Contents {
  const contents = new Map<string, string>()
  const end = events.findLastIndex(isCheckpoint)
  for (const event of events.slice(0, end)) {
    if (event.type !== 'file.updated') continue
    const { path, action, content, omitted, sha256 = '' } = event.data
    if (action === 'deleted') contents.delete(path)
    else contents.set(path, omitted ? sha256 : content)
  }
  return Object.fromEntries(contents)
}

/** What the last checkpoint holds, asked of the user's git: all that an event can name, and how many it cannot. */
function heldByCheckpoint(workspace: string, events: readonly RecordedEvent[]) {
  const git = (...args: readonly string[]) =>
    execFileSync('git', [`--git-dir=${executionLayout(dirname(workspace)).checkpoints}`, ...args], {
      maxBuffer: 1 << 26,
    })
  const files: [string, string][] = []
  let unnamed = 0
  for (const line of git('ls-tree', '-r', '-z', '--full-tree', shaOf(events))
    .toString('latin1')
    .split('\0')) {
    const [head = '', name = ''] = line.split('\t')
    const [mode, , oid = ''] = head.split(' ')
    const path = Buffer.from(name, 'latin1').toString()
    if (line === '') continue
    if (mode === '120000' || path.includes('\uFFFD')) unnamed++
    else files.push([path, textOf(git('cat-file', 'blob', oid))])
  }
  return { files: Object.fromEntries(files), unnamed }
}

function isCheckpoint(event: RecordedEvent): boolean {
  return event.type === 'state.transition' && event.data.transitionType === 'CheckpointCreated'
}

function shaOf(events: readonly RecordedEvent[]): string {
  return /"sha":"([0-9a-f]{40})"/.exec(JSON.stringify(events.findLast(isCheckpoint)))?.[1] ?? ''
}

function textOf(bytes: Buffer): string {
  const isText = !bytes.includes(0) && Buffer.from(bytes.toString()).equals(bytes)
  return isText && bytes.length <= 1 << 20
    ? bytes.toString()
    : createHash('sha256').update(bytes).digest('hex')
}

test('links and odd names: a client is told of every file that the checkpoint holds and an event can name', async () => {
  const odd = [' ', '*', '-rf', 'a\\b', 'a\nb', '…', '__proto__x', 'é', '🧶', '"q"']
  const { run, workspace } = await codon(cwd => {
    for (const name of odd) writeFileSync(join(cwd, name), `odd ${name}`)
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/bad`), Buffer.from([0xe9])]), 'no UTF-8')
    mkdirSync(Buffer.concat([Buffer.from(`${cwd}/dir`), Buffer.from([0xff])]))
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/dir`), Buffer.from([0xff]), Buffer.from('/in')]), 'x')
    symlinkSync('nowhere', join(cwd, 'dangling'))
    symlinkSync('..', join(cwd, 'outside'))
    writeFileSync(join(cwd, 'was-file'), 'a file, then a link')
    writeFileSync(join(cwd, 'binary'), Buffer.from([0, 255]))
    writeFileSync(join(cwd, 'large'), 'x'.repeat(9 << 20))
  })
  await run.pass(0)
  rmSync(join(workspace, 'was-file'))
  symlinkSync('é', join(workspace, 'was-file'))
  rmSync(join(workspace, ' '))
  await run.end()
  const { files, unnamed } = heldByCheckpoint(workspace, run.events)
  expect(emittedUntilCheckpoint(run.events)).toEqual(files)
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['*', 'binary', 'large', 'é']))
  expect(unnamed).toBe(5)
  const warnings = run.events.flatMap(event => (event.type === 'error' ? [event.data.message] : []))
  expect(warnings.filter(message => message.includes('EILSEQ'))).toHaveLength(2)
})

verifies(
  ['repair/files-of-rigs'],
  'what a rig made is emitted when its checkpoint is stored, before the codon begins',
  async () => {
    const run = 'for n in $(seq 300); do mkdir -p d$n; echo $n > d$n/f; done'
    const { run: observed } = await codon(
      cwd => writeFileSync(join(cwd, 'own'), 'by the agent'),
      [{ type: 'command', command: { run } }],
    )
    await observed.end()
    const begun = observed.events.findIndex(({ type }) => type === 'codon.started')
    const paths = (events: readonly RecordedEvent[]) =>
      events.flatMap(event => (event.type === 'file.updated' ? [event.data.path] : []))
    expect(new Set(paths(observed.events.slice(0, begun))).size).toBe(300)
    expect(paths(observed.events.slice(begun))).toEqual(['own'])
  },
)

test('deep trees: both go as deep, and no deeper', async () => {
  const { run, workspace } = await codon(cwd => {
    for (const depth of [120, 199, 205]) {
      const directory = join(cwd, ...Array.from({ length: depth - 1 }, () => 'd'))
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, `at-${depth}`), `${depth}`)
    }
  })
  await run.end()
  const { files } = heldByCheckpoint(workspace, run.events)
  expect(Object.values(files).sort()).toEqual(['120', '199'])
  expect(emittedUntilCheckpoint(run.events)).toEqual(files)
})

test('files that are written again at once, with the same size and time', async () => {
  for (let round = 0; round < 10; round++) {
    const put = (cwd: string, content: string) => {
      writeFileSync(join(cwd, 'racy'), content)
      utimesSync(join(cwd, 'racy'), 1_000_000, 1_000_000)
    }
    const { run, workspace } = await codon(cwd => put(cwd, 'one'))
    put(workspace, 'two')
    await run.pass(0)
    put(workspace, 'six')
    await run.end()
    const { files } = heldByCheckpoint(workspace, run.events)
    expect(files).toEqual({ racy: 'six' })
    expect(emittedUntilCheckpoint(run.events)).toEqual(files)
  }
})

test('a file that is written all the time: the same bytes are emitted and stored', async () => {
  const { run, workspace } = await codon(cwd => appendFileSync(join(cwd, 'log'), 'x'.repeat(300_000)))
  const script = 'while :; do printf %s "$$" >> "$1"; done'
  const writer = spawn('sh', ['-c', script, 'sh', join(workspace, 'log')])
  await once(writer, 'spawn')
  await run.end()
  writer.kill('SIGKILL')
  const { files } = heldByCheckpoint(workspace, run.events)
  expect(files['log']?.length).toBeGreaterThan(0)
  expect(emittedUntilCheckpoint(run.events)).toEqual(files)
})
