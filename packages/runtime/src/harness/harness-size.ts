import { lstatSync, type Stats } from 'node:fs'
import { walk } from '../files/index.ts'
import { fieldOf, fieldsOf } from '../kit/index.ts'
import { type FoundHarness, manifestOf, packageFrom } from './resolve-harness.ts'

const mostEntries = 200_000
const mostDepth = 64

/** What the packages of a harness take on disk, with all that they need, in bytes; each package once. Never rejects. */
export async function harnessBytes({ folders }: Pick<FoundHarness, 'folders'>): Promise<number> {
  const all = new Set(Object.values(folders))
  for (const folder of all) for (const needed of neededBy(folder)) all.add(needed)
  let bytes = 0
  for (const folder of all) bytes += await bytesIn(folder)
  return bytes
}

function neededBy(folder: string): readonly string[] {
  const manifest = manifestOf(folder)
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies']
  const names = kinds.flatMap(kind => Object.keys(fieldsOf(fieldOf(manifest, kind))))
  return names.flatMap(name => packageFrom(folder, name) ?? [])
}

/** Packages inside of it are counted by themselves. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = onDisk(lstatSync(folder, { throwIfNoEntry: false }))
  const skip = (path: string): boolean => path === 'node_modules'
  for await (const item of walk(folder, { maxEntries: mostEntries, maxDepth: mostDepth, skip })) {
    if (item.kind === 'entry') bytes += onDisk(item.stats)
  }
  return bytes
}

/** Many small files take much more than they hold. Where the system does not tell blocks, what they hold. */
function onDisk(stats: Stats | undefined): number {
  return stats?.blocks ? stats.blocks * 512 : (stats?.size ?? 0)
}
