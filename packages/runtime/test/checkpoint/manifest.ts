import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Selection } from '../../src/tree/index.ts'
import type { Scene } from './scene.ts'

/** Every path, one character per byte, with the mode and the blob id that git would give it. */
export type Manifest = ReadonlyMap<string, string>

/** What is on the disk, found without any code of the checkpoints. Neither `.git` nor what is in it. */
export function manifestOf(workTree: string): Manifest {
  const found = new Map<string, string>()
  const visit = (directory: string) => {
    for (const name of readdirSync(Buffer.from(directory, 'latin1'), { encoding: 'latin1' })) {
      if (name === '.git') continue
      const path = `${directory}/${name}`
      const place = Buffer.from(path, 'latin1')
      const stats = lstatSync(place)
      if (stats.isDirectory()) visit(path)
      else if (stats.isSymbolicLink()) found.set(path, entry('120000', readlinkSync(place, 'buffer')))
      else if (stats.isFile())
        found.set(path, entry(stats.mode & 0o100 ? '100755' : '100644', readFileSync(place)))
    }
  }
  const root = Buffer.from(workTree).toString('latin1')
  visit(root)
  return new Map([...found].map(([path, what]) => [path.slice(root.length + 1), what] as const).sort(byPath))
}

/** What a checkpoint holds, asked of the user's git. */
export function checkpointManifest(scene: Scene, sha: string): Manifest {
  const lines = scene
    .git('ls-tree', '-r', '-z', '--full-tree', sha)
    .toString('latin1')
    .split('\0')
    .slice(0, -1)
  return new Map(
    lines
      .map(line => {
        const [head = '', path = ''] = cut(line, '\t')
        const [mode = '', , oid = ''] = head.split(' ')
        return [path, `${mode} ${oid}`] as const
      })
      .sort(byPath),
  )
}

export function selected(manifest: Manifest, selection: Selection): Manifest {
  return new Map([...manifest].filter(([path]) => selection.selects(Buffer.from(path, 'latin1').toString())))
}

export function unselected(manifest: Manifest, selection: Selection): Manifest {
  return new Map([...manifest].filter(([path]) => !selection.selects(Buffer.from(path, 'latin1').toString())))
}

/** Every directory below the work tree, but for those of repositories. */
export function directoriesOf(workTree: string): readonly string[] {
  const found: string[] = []
  const visit = (directory: string, prefix: string) => {
    for (const name of readdirSync(Buffer.from(directory, 'latin1'), { encoding: 'latin1' })) {
      const path = `${directory}/${name}`
      if (name === '.git' || !lstatSync(Buffer.from(path, 'latin1')).isDirectory()) continue
      found.push(prefix + name)
      visit(path, `${prefix}${name}/`)
    }
  }
  visit(Buffer.from(workTree).toString('latin1'), '')
  return found.sort()
}

function entry(mode: string, content: Buffer): string {
  const oid = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
  return `${mode} ${oid}`
}

function cut(text: string, at: string): readonly string[] {
  const index = text.indexOf(at)
  return [text.slice(0, index), text.slice(index + 1)]
}

function byPath([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1
}
