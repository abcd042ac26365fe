import { lstatSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { errorCode } from '../kit/index.ts'
import type { SelectedFile } from '../tree/index.ts'
import { dataSourceName } from '../tree/index.ts'

/** A selected file and where its bytes are. */
export interface OutputSource {
  /** Relative to the workspace, and to the output directory. */
  readonly path: string
  /** Below the workspace; another place than `path` when that is a link. */
  readonly components: readonly string[]
}

/**
 * Where the bytes of selected files come from. A link to a file that lies in the workspace stands for that file, because
 * an output should not depend on the workspace. Everything else that is no regular file is refused: a link out of the
 * workspace or into the data, a broken one, one to a directory (name the directory, or exclude the link with `!`), a
 * FIFO, a device. Throws one error that names them.
 */
export function outputSources(agentRoot: string, files: readonly SelectedFile[]): readonly OutputSource[] {
  const root = realpathSync(agentRoot)
  const sources: OutputSource[] = []
  const refused: string[] = []
  for (const { path, stats } of files) {
    if (stats.isFile()) sources.push({ path, components: path.split('/') })
    else if (!stats.isSymbolicLink()) refused.push(`${path} is not a regular file`)
    else {
      const end = linkEnd(root, path)
      if (typeof end === 'string') refused.push(`${path} is a link ${end}`)
      else sources.push({ path, components: end })
    }
  }
  if (refused.length > 0) throw new Error(listed(refused))
  return sources
}

/** Not looked into for outputs, as for checkpoints: a planted repository runs programs of its author's choice. */
export function isHiddenFromOutputs(path: string): boolean {
  return path === '.git' || path.endsWith('/.git')
}

/** Says what is true now. The file is opened later without following links, so a change meanwhile leads nowhere. */
function linkEnd(root: string, path: string): readonly string[] | string {
  try {
    const end = realpathSync(join(root, path))
    const way = relative(root, end)
    const components = way.split(sep)
    if (components[0] === '..' || isAbsolute(way)) return 'that leaves the agent workspace'
    if (components[0] === dataSourceName || components.includes('.git')) return 'to what is not for outputs'
    const stats = lstatSync(end)
    if (stats.isFile()) return components
    return stats.isDirectory() ? 'to a directory' : 'to something that is not a regular file'
  } catch (error) {
    return errorCode(error) === 'ELOOP' ? 'that leads to itself' : 'that leads nowhere'
  }
}

function listed(refused: readonly string[]): string {
  const more = refused.length > mostNamed ? ` and ${refused.length - mostNamed} more` : ''
  return `refused: ${refused.slice(0, mostNamed).join('; ')}${more}`
}

const mostNamed = 10
