import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, proofSeed, tally } from '../../../../test/support/proof.ts'
import { sampleOf } from '../../../../test/support/sampled.ts'
import { treeDigest } from '../../../../test/support/tree-digest.ts'
import { ledgerOf } from '../../src/budget/index.ts'
import { createHistory, replay } from '../../src/journal/index.ts'
import { systemClock } from '../../src/kit/index.ts'
import { fork } from '../../src/versions/fork.ts'
import { readPlace } from '../../src/versions/read-place.ts'
import { executionLayout } from '../../src/workspace/index.ts'
import type { Scene } from '../at-rest/scene.ts'
import { randomExecution } from './random-story.ts'

function filesIn(dir: string): Readonly<Record<string, string>> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names
      .filter(name => !name.startsWith('read_only_data_source') && lstatSync(join(dir, name)).isFile())
      .map(name => [name, readFileSync(join(dir, name), 'utf8')]),
  )
}

function journalBytes(dir: string): Buffer {
  const names = readdirSync(dir).filter(name => name.endsWith('.jsonl'))
  return Buffer.concat(names.sort().map(name => readFileSync(join(dir, name))))
}

async function placeIn(dir: string) {
  const read = await readPlace({ layout: executionLayout(dir), environment: process.env, clock: systemClock })
  if (!read.ok) throw new Error(`${read.message} ${read.cure}`)
  return read.place
}

/** Forks an execution at every one of its checkpoints and holds each fork against it. */
async function forkEverywhere(scene: Scene): Promise<number> {
  const { state } = await scene.state()
  const shas = new Set(
    state.runs.flatMap(({ initialCheckpoint, codons }, at) => [
      ...(at === 0 && initialCheckpoint !== undefined ? [initialCheckpoint] : []),
      ...codons.flatMap(({ checkpoints }) => Object.values(checkpoints)),
    ]),
  )
  const before = treeDigest(scene.dir)
  for (const sha of shas) await forkAt(scene, sha)
  expect(treeDigest(scene.dir)).toBe(before)
  return shas.size
}

async function forkAt(scene: Scene, sha: string): Promise<void> {
  const place = await placeIn(scene.dir)
  const result = await fork(place, {
    at: sha,
    executionBaseDir: dirname(scene.dir),
    withUntracked: false,
    rehearse: false,
    weaveVersion: '0.0.0',
  })
  if (!result.ok) throw new Error(`${result.message} ${result.cure}`)
  const { dir, origin } = result.forked
  const made = executionLayout(dir)
  const { prefix } = origin

  const [own, source] = [journalBytes(made.journal), journalBytes(scene.layout.journal)]
  const length = endOfLine(source, prefix.events)
  expect(own.subarray(0, length).equals(source.subarray(0, length))).toBe(true)
  expect(createHash('sha256').update(own.subarray(0, length)).digest('hex')).toBe(prefix.sha256)

  const at = { upTo: prefix.events }
  const there = (await replay(place.history, scene.layout.stateFile, at)).state
  const here = createHistory({ dir: made.journal })
  expect((await replay(here, made.stateFile, at)).state).toEqual(there)
  const now = { now: Date.parse(timeOf(source, prefix.events)) }
  const born = (await replay(here, made.stateFile)).state
  expect(ledgerOf(born)).toEqual(ledgerOf(there, now))
  expect(origin.inheritedCost).toBe(there.totalCost)

  const tree = await place.versions.listFiles(sha)
  expect(Object.keys(filesIn(made.agentRoot))).toEqual(tree?.map(({ path }) => path).sort())
  const files = filesIn(made.agentRoot)
  const kept = await (await placeIn(dir)).versions.listFiles(sha)
  expect(kept).toEqual(tree)
  for (const { path, oid } of tree ?? []) expect(blobId(files[path] ?? '')).toBe(oid)
  expect(readdirSync(dirname(dir)).filter(name => name.endsWith('.part'))).toEqual([])
  expect(existsSync(join(dirname(dir), basename(dir)))).toBe(true)
  rmSync(dir, { recursive: true })
}

function endOfLine(bytes: Buffer, lines: number): number {
  let end = 0
  for (let line = 0; line < lines; line++) end = bytes.indexOf(10, end) + 1
  return end
}

function timeOf(bytes: Buffer, line: number): string {
  const text = bytes.subarray(endOfLine(bytes, line - 1), endOfLine(bytes, line)).toString()
  return (JSON.parse(text) as { readonly timestamp: string }).timestamp
}

function blobId(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

describe('a fork of an execution that was made by lot', () => {
  verifies(
    ['fork/prefix', 'fork/state', 'fork/tree', 'fork/source-unchanged'],
    'is at every checkpoint what its source was: journal, state, ledger, files; and the source stays as it is',
    async () => {
      const first = proofSeed ?? 1
      let forks = 0
      let executions = 0
      for (const at of sampleOf({ whole: 200, atLeast: 2, ms: 1_000 })) {
        forks += await forkEverywhere(await randomExecution(first + at))
        executions = at + 1
      }
      tally('forks of random executions', forks)
      expect(forks).toBeGreaterThan(executions * 3)
    },
    isProof ? 3_600_000 : 120_000,
  )
})
