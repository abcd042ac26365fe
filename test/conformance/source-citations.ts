import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every id that stands in a `verifies([…])` of a test file, with the files that cite it. */
export function citedIds(root: string): ReadonlyMap<string, readonly string[]> {
  const cited = new Map<string, string[]>()
  for (const file of testFiles(root)) {
    for (const id of idsIn(readFileSync(file, 'utf8'))) cited.set(id, [...(cited.get(id) ?? []), file])
  }
  return cited
}

export function idsIn(source: string): readonly string[] {
  return [...source.matchAll(/\bverifies\(\s*\[([^\]]*)\]/g)].flatMap(([, list]) =>
    [...(list ?? '').matchAll(/'([^']+)'/g)].map(([, id]) => id ?? ''),
  )
}

function testFiles(root: string): readonly string[] {
  const folders = ['test', ...readdirSync(join(root, 'packages')).map(name => join('packages', name, 'test'))]
  return folders.flatMap(folder => filesBelow(join(root, folder))).filter(file => file.endsWith('.test.ts'))
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
  } catch {
    return []
  }
}
