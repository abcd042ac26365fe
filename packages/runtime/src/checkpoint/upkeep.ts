import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncDirectory } from '../files/index.ts'
import type { Result } from '../kit/index.ts'
import type { Git } from '../tree/index.ts'

export type Upkeep = Result

export interface UpkeepPlace {
  readonly gitDir: string
  readonly git: Git
}

export interface StoreSize {
  readonly bytes: number
  readonly packs: number
  /** Objects that are not in a pack. */
  readonly loose: number
}

export async function sizeOf({ git }: UpkeepPlace): Promise<StoreSize> {
  const answer = await git(['count-objects', '-v'])
  const text = answer.ok ? answer.bytes.toString() : ''
  const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  return { bytes: 1024 * (field('size') + field('size-pack')), packs: field('packs'), loose: field('count') }
}

export interface StoreCheck {
  readonly ok: boolean
  /** In git's words. */
  readonly faults: readonly string[]
}

/** Checks every object of the store. What files are called and hold is never a fault, however odd to git. */
export async function checkStore({ git }: UpkeepPlace): Promise<StoreCheck> {
  const answer = await git(['fsck', '--full', '--no-dangling', '--no-progress'])
  if (answer.ok) return { ok: true, faults: [] }
  const said = answer.bytes.toString().split('\n')
  const errors = answer.complaints.split('\n').filter(line => /^(error|fatal)/.test(line))
  const lines = [...said.filter(line => line !== ''), ...errors]
  const faults = lines.filter(line => !aboutContent.test(line))
  if (faults.length > 0) return { ok: false, faults }
  return lines.length > 0 ? { ok: true, faults } : { ok: false, faults: [answer.message] }
}

/** Advice for those who would check such files out with git. */
const aboutContent = /^error in (blob|tree) [0-9a-f]+: (gitmodules|gitattributes|gitignore|mailmap|has|large)/

/**
 * Puts everything into one pack. What nothing refers to is left as it is. Unharmed by a kill: the old packs go when the
 * new one is on the disk for good. Rejects with the system's error, or with the reason of the signal.
 */
export async function packStore(place: UpkeepPlace, signal?: AbortSignal): Promise<Upkeep> {
  return repack(place, '--unpack-unreachable', signal)
}

/** Packs, and drops what nothing refers to and is older than `before`. */
export async function pruneStore(place: UpkeepPlace, before: Date, signal?: AbortSignal): Promise<Upkeep> {
  const time = before.toISOString()
  const packed = await repack(place, `--unpack-unreachable=${time}`, signal)
  return packed.ok
    ? upkeepOf(await place.git(['prune', `--expire=${time}`], { signal, writes: true }))
    : packed
}

async function repack(
  { gitDir, git }: UpkeepPlace,
  unreachable: string,
  signal: AbortSignal | undefined,
): Promise<Upkeep> {
  const folder = join(gitDir, 'objects', 'pack')
  const old = packsIn(folder)
  const kinds = ['--all', unreachable, '--delta-base-offset', '--non-empty', '--quiet']
  const options = { input: '', signal, writes: true }
  const answer = await git(['pack-objects', ...kinds, join(folder, 'pack')], options)
  if (!answer.ok) return upkeepOf(answer)
  const name = `pack-${answer.bytes.toString().trim()}`
  await syncDirectory(folder)
  // Nothing reachable: nothing was written, and what is there is nobody's.
  if (existsSync(join(folder, `${name}.idx`))) {
    for (const pack of old) if (pack !== name) removePack(folder, pack)
  }
  return upkeepOf(await git(['prune-packed', '--quiet'], { signal, writes: true }))
}

function upkeepOf(answer: Awaited<ReturnType<Git>>): Upkeep {
  return answer.ok ? { ok: true } : { ok: false, message: answer.message }
}

function packsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter(name => /^pack-[0-9a-f]+\.pack$/.test(name))
    .map(name => name.slice(0, -'.pack'.length))
}

/** The index first: without it there is no pack. */
function removePack(folder: string, name: string): void {
  for (const ending of ['idx', 'rev', 'pack']) rmSync(join(folder, `${name}.${ending}`), { force: true })
}
