import { lstatSync, realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode } from '../kit/index.ts'

export type SpellingResult =
  | { readonly ok: true; readonly components: readonly string[] }
  | { readonly ok: false; readonly reason: 'absolute' | 'backslash' | 'nul' | 'outside' }

export type ContainedPath =
  | { readonly ok: true; readonly path: string }
  | {
      readonly ok: false
      readonly reason: 'absolute' | 'backslash' | 'nul' | 'outside' | 'symlink' | 'unreadable'
      /** For `symlink` and `unreadable`: the path below the root, with `/`, up to the culprit. */
      readonly component?: string
    }

/**
 * What the letters alone say; looks at no disk, and says the same on every platform.
 *
 * `components` has `.`, empty parts and `..` worked out, so it never leaves the root: a path that steps above its start
 * is `outside` even where it would come back. Drive letters (`C:x`) are `absolute`.
 */
export function checkRelativeSpelling(path: string): SpellingResult {
  if (path.includes('\0')) return { ok: false, reason: 'nul' }
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return { ok: false, reason: 'absolute' }
  if (path.includes('\\')) return { ok: false, reason: 'backslash' }

  const components: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') components.push(part)
    else if (components.pop() === undefined) return { ok: false, reason: 'outside' }
  }
  return { ok: true, components }
}

/**
 * Where `relative` lies below `root`, if it stays there by its spelling and on the disk, and no component below the root
 * is a symlink. The path need not exist, nor the root. `''` and `.` give the root itself; the caller decides whether
 * that is welcome. Links that lead to the root are fine.
 *
 * Never throws. Says what is true now: what is opened later must still be opened without following links. A component
 * that cannot be looked at is `unreadable`, never passed as good.
 */
export function resolveInside(root: string, relative: string): ContainedPath {
  const spelling = checkRelativeSpelling(relative)
  if (!spelling.ok) return spelling

  const base = resolve(root)
  let deepest = base
  let component = ''
  try {
    for (const name of spelling.components) {
      component = component === '' ? name : `${component}/${name}`
      const stat = ifPresent(() => lstatSync(join(deepest, name)))
      if (!stat) break
      if (stat.isSymbolicLink()) return { ok: false, reason: 'symlink', component }
      deepest = join(deepest, name)
    }
    if (!isReallyInside(base, deepest)) return { ok: false, reason: 'outside' }
  } catch {
    return { ok: false, reason: 'unreadable', component }
  }
  return { ok: true, path: join(base, ...spelling.components) }
}

function ifPresent<Found>(look: () => Found): Found | undefined {
  try {
    return look()
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Catches what spelling cannot: a component exchanged for a link since it was looked at. */
function isReallyInside(base: string, deepest: string): boolean {
  const realBase = ifPresent(() => realpathSync(base))
  if (realBase === undefined) return deepest === base
  const way = relative(realBase, realpathSync(deepest))
  return way === '' || isBelow(way)
}

/**
 * Of the given absolute paths those that lie below a directory, relative to it and with `/`. Links on the way are
 * followed on both sides; the paths need not exist. The directory itself and what is above it do not count.
 */
export async function waysBelow(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const real = await realpathAsFarAs(root)
  const ways = await Promise.all(paths.map(async path => relative(real, await realpathAsFarAs(path))))
  return ways.filter(isBelow).map(way => way.split(sep).join('/'))
}

/** Whether a path leads from a directory into it, and not out of it or to itself. */
function isBelow(way: string): boolean {
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function realpathAsFarAs(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realpathAsFarAs(parent), relative(parent, path))
  }
}
