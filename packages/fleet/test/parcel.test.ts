import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../test/support/proof.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { treeDigest } from '../../../test/support/tree-digest.ts'
import { applyParcels, makeParcel, openParcel, packTar, type TarEntry } from '../src/parcel/index.ts'

const executionId = 'b.1'
const segment = '.weave/journal/events-000000000001.jsonl'

async function execution(): Promise<string> {
  const root = await tempDir({ inMemory: true })
  for (const folder of ['.weave/journal', '.weave/logs', 'agentRoot/deep/empty', 'outputs'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, segment), 'one\n', { mode: 0o600 })
  writeFileSync(join(root, '.weave/lock.json'), '{}')
  writeFileSync(join(root, '.weave/logs/server.log'), 'of this machine')
  writeFileSync(join(root, 'agentRoot/deep/ä b.txt'), 'text')
  writeFileSync(join(root, 'agentRoot/run.sh'), '#!/bin/sh\n')
  chmodSync(join(root, 'agentRoot/run.sh'), 0o755)
  symlinkSync('/nowhere/at/all', join(root, 'agentRoot/link'))
  symlinkSync('/some/data', join(root, 'agentRoot/read_only_data_source'))
  writeFileSync(join(root, `agentRoot/${'n'.repeat(200)}`), 'a long name')
  return root
}

/** What moves of an execution. */
function moved(root: string): unknown {
  const mine = ['.weave/lock.json', '.weave/logs', 'agentRoot/read_only_data_source']
  for (const path of mine) rmSync(join(root, path), { recursive: true, force: true })
  return treeDigest(root)
}

const deeds: readonly ((root: string) => void)[] = [
  root => appendFileSync(join(root, segment), 'two\n'),
  root => rmSync(join(root, 'agentRoot/deep'), { recursive: true }),
  root => {
    rmSync(join(root, 'agentRoot/link'))
    mkdirSync(join(root, 'agentRoot/link'))
    writeFileSync(join(root, 'agentRoot/link/inside'), 'was a link')
  },
  root => chmodSync(join(root, 'agentRoot/run.sh'), 0o644),
  root => appendFileSync(join(root, segment), 'three\n'),
]

describe('a parcel', () => {
  verifies(['fleet/parcel-whole'], 'brings back what was packed, over a chain of changes', async () => {
    const root = await execution()
    const parcels: Buffer[] = []
    let since: Parameters<typeof makeParcel>[0]['since']
    for (const [at, deed] of [() => undefined, ...deeds].entries()) {
      deed(root)
      const seq = at + 1
      const parcel = await makeParcel({ root, executionId, epoch: 1, seq, since })
      parcels.push(parcel.bytes)
      since = { seq, files: parcel.files }
      const { manifest } = await openParcel(parcel.bytes)
      if (at > 0) expect(manifest.parts.length, `parcel ${seq} has what changed only`).toBeLessThan(4)
    }
    const { manifest } = await openParcel(parcels.at(-1) ?? Buffer.alloc(0))
    expect(manifest.parts).toMatchObject([{ path: segment, from: 8, bytes: 6 }])
    const copy = join(await tempDir({ inMemory: true }), 'copy')
    mkdirSync(copy)
    await applyParcels(copy, { executionId, parcels })
    expect(existsSync(join(copy, '.weave/lock.json'))).toBe(false)
    expect(moved(copy)).toEqual(moved(root))
    expect(readFileSync(join(copy, segment), 'utf8')).toBe('one\ntwo\nthree\n')
  })

  verifies(['fleet/parcel-refused'], 'of another execution, or on top of another, is refused', async () => {
    const root = await execution()
    const first = await makeParcel({ root, executionId, epoch: 1, seq: 1 })
    const second = await makeParcel({
      root,
      executionId,
      epoch: 1,
      seq: 2,
      since: { seq: 1, files: first.files },
    })
    const place = await tempDir({ inMemory: true })
    const wrong = [
      { executionId: 'b.2', parcels: [first.bytes] },
      { executionId, parcels: [second.bytes] },
      { executionId, parcels: [first.bytes, first.bytes] },
    ]
    for (const each of wrong) await expect(applyParcels(place, each)).rejects.toThrow('A parcel is refused')
  })

  verifies(
    ['fleet/parcel-refused'],
    'that leads out of its place is refused, by its names and through its links',
    async () => {
      const base = await tempDir({ inMemory: true })
      const place = join(base, 'place')
      mkdirSync(place)
      for (const path of ['../out', '/out', 'a/../../out', 'a//b', './a', ''])
        await expect(applyParcels(place, { executionId, parcels: [forged([file(path)])] })).rejects.toThrow()
      const through = forged([
        { ...file('door'), type: 'link', target: base, bytes: Buffer.alloc(0) },
        file('door/out'),
      ])
      await expect(applyParcels(place, { executionId, parcels: [through] })).rejects.toThrow('no folder')
      expect(existsSync(join(base, 'out'))).toBe(false)
    },
  )

  verifies(['fleet/parcel-refused'], 'with any byte changed is refused, or is the same', async () => {
    const root = await execution()
    const { bytes } = await makeParcel({ root, executionId, epoch: 1, seq: 1 })
    const whole = await openParcel(bytes)
    const runs = isProof ? 2_000 : 100
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ flip
        const outcome = await openParcel(changed).catch(() => undefined)
        // A few bits of a gzip header say nothing about its content.
        if (outcome) expect(outcome).toEqual(whole)
      }),
      { numRuns: runs },
    )
    tally('parcels changed', runs)
  })
})

function file(path: string): TarEntry {
  return { path, type: 'file', executable: false, bytes: Buffer.from('out') }
}

/** A parcel as somebody would write it who knows the format. */
function forged(entries: readonly TarEntry[]): Buffer {
  const parts = entries.map(({ path, type, bytes, target }) => {
    const content = target === undefined ? bytes : Buffer.from(target)
    return { path, type, bytes: content.length, sha256: sha(content) }
  })
  const manifest = { format: 1, executionId, epoch: 1, seq: 1, base: null, parts, gone: [] }
  const first = { ...file('manifest.json'), bytes: Buffer.from(JSON.stringify(manifest)) }
  return gzipSync(packTar([first, ...entries]))
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
