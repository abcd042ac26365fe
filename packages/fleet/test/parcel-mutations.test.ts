import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../test/support/proof.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { treeDigest } from '../../../test/support/tree-digest.ts'
import { applyParcels, makeParcel, packTar, type TarEntry, unpackTar } from '../src/parcel/index.ts'

const executionId = 'b.1'

async function whole(): Promise<Buffer> {
  const root = await tempDir({ inMemory: true })
  for (const folder of ['.weave/journal', 'agentRoot/deep/empty'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, '.weave/journal/events-000000000001.jsonl'), 'one\n')
  for (const name of ['a', 'b', 'deep/c']) writeFileSync(join(root, 'agentRoot', name), `text of ${name}`)
  symlinkSync('deep/c', join(root, 'agentRoot/link'))
  return (await makeParcel({ root, executionId, epoch: 1, seq: 1 })).bytes
}

/** Numbers that say what is done, and where. */
interface Dice {
  readonly at: number
  readonly other: number
  readonly flip: number
}

type Deed = (entries: readonly TarEntry[], dice: Dice) => readonly TarEntry[]

const wayOut = [
  '../out',
  '/out',
  'agentRoot/../../out',
  'agentRoot/./a',
  'a//b',
  '',
  'agentRoot/link/../../out',
  'a\0b',
]
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T
/** Never the manifest, which is the first. */
const someEntry = (entries: readonly TarEntry[], at: number): number => 1 + (at % (entries.length - 1))
const changed = (entries: readonly TarEntry[], at: number, more: Partial<TarEntry>): readonly TarEntry[] =>
  entries.map((entry, index) => (index === at ? { ...entry, ...more } : entry))

/** What somebody does to a parcel who can write the format, but does not adapt the manifest. */
const deeds: Readonly<Record<string, Deed>> = {
  'left out': (entries, { at }) => entries.toSpliced(someEntry(entries, at), 1),
  'put in twice': (entries, { at }) =>
    entries.toSpliced(someEntry(entries, at), 0, pick(entries.slice(1), at)),
  'put in another order': (entries, { at, other }) => {
    const [first, second] = [someEntry(entries, at), someEntry(entries, other)]
    const [one, two] = [entries[first] as TarEntry, entries[second] as TarEntry]
    return entries.with(first, two).with(second, one)
  },
  'given another name': (entries, { at, other }) =>
    changed(entries, someEntry(entries, at), {
      path: pick([...wayOut, 'agentRoot/z', '.weave/lock.json'], other),
    }),
  'given another type': (entries, { at, other }) =>
    changed(entries, someEntry(entries, at), { type: pick(['file', 'directory', 'link'] as const, other) }),
  'given another target': (entries, { at, other }) =>
    changed(entries, someEntry(entries, at), { target: pick(['/etc', '..', 'b'], other) }),
  'given other content': (entries, { at, flip }) => {
    const index = someEntry(entries, at)
    return changed(entries, index, { bytes: flipped(entries[index]?.bytes ?? Buffer.alloc(0), at, flip) })
  },
  'in a manifest of other words': ([first, ...rest], { at, flip }) =>
    first ? [{ ...first, bytes: flipped(first.bytes, at, flip) }, ...rest] : rest,
  // From here on the manifest says the same.
  'led out of its place': (entries, { at, other }) =>
    agreeing(changed(entries, someEntry(entries, at), { path: pick(wayOut, other) })),
  'led out through a link': (entries, { at, other }) => {
    const folder = `agentRoot/door-${at % 7}`
    const door = { ...file(folder), type: 'link', target: pick(['../..', '../../..'], other) } as const
    return agreeing([...entries, { ...door, bytes: Buffer.alloc(0) }, file(`${folder}/weave-out-${at}`)])
  },
  'led out by what is gone': (entries, { at }) => agreeing(entries, { gone: [pick(wayOut, at)] }),
}

function file(path: string): TarEntry {
  return { path, type: 'file', executable: false, bytes: Buffer.from('out') }
}

function flipped(bytes: Buffer, at: number, flip: number): Buffer {
  const other = Buffer.from(bytes.length === 0 ? 'x' : bytes)
  other[at % other.length] = (other[at % other.length] ?? 0) ^ flip
  return other
}

/** With a manifest that says what is there. */
function agreeing([first, ...rest]: readonly TarEntry[], more: object = {}): readonly TarEntry[] {
  if (!first) return rest
  const manifest = JSON.parse(first.bytes.toString('utf8')) as object
  const parts = rest.map(({ path, type, bytes, target }) => {
    const content = target === undefined ? bytes : Buffer.from(target)
    return { path, type, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  })
  return [{ ...first, bytes: Buffer.from(JSON.stringify({ ...manifest, parts, ...more })) }, ...rest]
}

const names = Object.keys(deeds)
const dice = fc.record({
  kind: fc.nat(names.length),
  at: fc.nat(1e6),
  other: fc.nat(1e6),
  flip: fc.integer({ min: 1, max: 255 }),
})

describe('a parcel that somebody changed', () => {
  verifies(
    ['fleet/parcel-refused'],
    'in bytes, entries, order or names is refused, or brings the same files, and writes nothing outside of its place',
    async () => {
      const parcel = await whole()
      const tar = gunzipSync(parcel)
      const entries = [...unpackTar(tar)]
      const base = await tempDir({ inMemory: true })
      writeFileSync(join(base, 'canary'), 'as it was')
      const place = join(base, 'deep', 'place')
      const placed = async (bytes: Buffer): Promise<string | undefined> => {
        rmSync(place, { recursive: true, force: true })
        mkdirSync(place, { recursive: true })
        const done = await applyParcels(place, { executionId, parcels: [bytes] }).catch(() => undefined)
        const files = done && treeDigest(place)
        rmSync(place, { recursive: true })
        return files
      }
      const asItWas = await placed(parcel)
      const outside = treeDigest(base)
      const counts = new Map<string, number>()
      const runs = isProof ? 2_000 : 150
      await fc.assert(
        fc.asyncProperty(dice, async ({ kind, ...rest }) => {
          const name = names[kind]
          const deed = name === undefined ? undefined : deeds[name]
          const bytes = gzipSync(deed ? packTar(deed(entries, rest)) : flipped(tar, rest.at, rest.flip))
          const files = await placed(bytes)
          if (files !== undefined) expect(files, name).toBe(asItWas)
          expect(treeDigest(base), name).toBe(outside)
          const outcome = files === undefined ? 'refused' : 'harmless'
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
        }),
        { numRuns: runs },
      )
      // What changes nothing is a padding, a time, or an entry in its own place.
      expect(counts.get('refused') ?? 0).toBeGreaterThan(0.8 * runs)
      tally('parcels changed in bytes, entries, order or names', runs)
    },
  )
})
