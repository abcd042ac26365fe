import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createId, type Marker } from '../../src/kit/index.ts'
import { type ExecutionLayout, executionLayout } from '../../src/workspace/index.ts'

export interface PreparedWorkspace {
  readonly layout: ExecutionLayout
  readonly agentRoot: string
  readonly hankDir: string
  readonly output: string
  /** Beside everything else: where a trap would lead. */
  readonly outside: string
  /** What commands get. */
  readonly surroundings: { readonly env: Record<string, string>; readonly marker: Marker }
}

/** An execution directory with an empty workspace, a hank directory and somewhere else to lead to. */
export async function preparedWorkspace(options?: {
  readonly inMemory: boolean
}): Promise<PreparedWorkspace> {
  const dir = await tempDir(options)
  const layout = executionLayout(join(dir, 'execution'))
  const hankDir = join(dir, 'hank')
  const outside = join(dir, 'outside')
  for (const path of [layout.agentRoot, layout.internals, hankDir, outside])
    mkdirSync(path, { recursive: true })
  const { agentRoot } = layout
  const marker: Marker = `WEAVE_EXECUTION_ID=${createId('test')}`
  const surroundings = { env: { PATH: process.env['PATH'] ?? '' }, marker }
  return { layout, agentRoot, hankDir, outside, output: join(dir, 'output'), surroundings }
}

/** Writes files, links (`{ link: target }`) and their directories; a path that ends in `/` is an empty directory. */
export async function put(
  root: string,
  files: Readonly<Record<string, string | { readonly link: string }>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const place = join(root, path)
    mkdirSync(path.endsWith('/') ? place : dirname(place), { recursive: true })
    if (path.endsWith('/')) continue
    if (typeof content === 'string') writeFileSync(place, content)
    else symlinkSync(content.link, place)
  }
}

/** Everything below a directory: files with their text, links as `-> target`, empty directories as `path/`. */
export async function treeOf(root: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {}
  const visit = (path: string): void => {
    const place = join(root, path)
    const stats = lstatSync(place)
    if (stats.isDirectory()) {
      const names = readdirSync(place)
      if (names.length === 0 && path !== '') tree[`${path}/`] = ''
      for (const name of names.sort()) visit(path === '' ? name : `${path}/${name}`)
    } else if (stats.isSymbolicLink()) tree[path] = `-> ${readlinkSync(place)}`
    else tree[path] = stats.isFile() ? readFileSync(place, 'utf8') : '(special)'
  }
  visit('')
  return tree
}
