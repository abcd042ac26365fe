import { lstatSync, type Stats } from 'node:fs'
import type { ProblemCode } from '@weave/protocol'
import { type WalkItem, walk } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'

/** Something that must not be in a tree that is copied. `entry` is relative to the tree, '' is the tree itself. */
export interface TreeFinding {
  readonly kind: 'symlink' | 'non-regular' | 'unreadable' | 'missing' | 'too-many' | 'too-deep' | 'more'
  readonly entry: string
}

export interface TreeLimits {
  readonly maxEntries?: number
  readonly maxDepth?: number
  readonly maxFindings?: number
}

/**
 * Looks at the whole tree below a resolved path, following no link and opening no file, and gives the event loop its
 * turns. Empty: everything in it is a directory or a regular file. Never rejects; too much to look at is a finding.
 */
export async function scanCopiedTree(root: string, limits: TreeLimits = {}): Promise<readonly TreeFinding[]> {
  const { maxEntries = 100_000, maxDepth = 64, maxFindings = 1_000 } = limits
  const top = findingAt('', () => lstatSync(root))
  if (top !== 'directory') return top === undefined ? [] : [top]

  const findings: TreeFinding[] = []
  for await (const item of walk(root, { maxEntries, maxDepth })) {
    const finding = findingOf(item)
    if (finding === undefined) continue
    if (findings.length === maxFindings) return [...findings, { kind: 'more', entry: finding.entry }]
    findings.push(finding)
  }
  return findings
}

/** What to say about a finding; `path` is the reference as written, `label` names the one who wrote it. */
export function treeMessage({ kind, entry }: TreeFinding, path: string, label: string): string {
  switch (kind) {
    case 'symlink':
      return `${path} contains a symlink at ${entry || path}; symlinks are not allowed anywhere in a copied tree`
    case 'non-regular':
      return `${path} contains a non-regular file at ${entry || path}; only regular files and directories can be copied`
    case 'unreadable':
      return `${label} ${path} cannot be read${entry === '' ? '' : ` at ${entry}`}`
    case 'missing':
      return `${label} ${path} does not exist`
    case 'too-many':
      return `${label} ${path} holds too many files to copy; the scan stopped at ${entry}`
    case 'too-deep':
      return `${label} ${path} is nested too deeply to copy; the scan stopped at ${entry}`
    case 'more':
      return `${label} ${path} has more entries that cannot be copied, the next at ${entry}`
  }
}

/** The rule that a finding breaks. */
export const treeCodes: Readonly<Record<TreeFinding['kind'], ProblemCode>> = {
  symlink: 'path/symlink',
  'non-regular': 'path/kind',
  unreadable: 'path/unreadable',
  missing: 'path/missing',
  'too-many': 'path/size',
  'too-deep': 'path/size',
  more: 'path/too-many',
}

function findingOf(item: WalkItem): TreeFinding | undefined {
  switch (item.kind) {
    case 'entry': {
      const finding = findingAt(item.path, () => item.stats)
      return finding === 'directory' ? undefined : finding
    }
    case 'unreadable':
      return { kind: 'unreadable', entry: item.path }
    case 'capped':
      return { kind: item.cap === 'entries' ? 'too-many' : 'too-deep', entry: item.path }
  }
}

function findingAt(entry: string, look: () => Stats): TreeFinding | 'directory' | undefined {
  try {
    const stats = look()
    if (stats.isDirectory()) return 'directory'
    if (stats.isFile()) return undefined
    return { kind: stats.isSymbolicLink() ? 'symlink' : 'non-regular', entry }
  } catch (error) {
    const code = errorCode(error)
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable', entry }
  }
}
