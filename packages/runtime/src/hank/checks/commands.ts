import { codonsOf, commandsOf } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { type Report, shown } from './check.ts'
import { commandsIn, type Word } from './shell-words.ts'

/** Characters that are scanned of one command, and of all different commands of a hank. A warning tells of the rest. */
const longestScan = 64 * 1024
const mostScanned = 1024 * 1024

/** Commands that look as if they could destroy more than a workspace. Warnings: the author may mean it. */
export function checkCommands(hank: HankFile, { warning }: Report): void {
  const known = new Map<string, ReadonlySet<Danger>>()
  let scanned = 0
  const scan = (run: string): ReadonlySet<Danger> => {
    const seen = known.get(run)
    if (seen || scanned > mostScanned) return seen ?? none
    const start = run.slice(0, longestScan)
    const found = dangersIn(start)
    scanned += start.length
    known.set(run, found)
    return found
  }
  for (const placed of codonsOf(hank)) {
    for (const { run, where } of commandsOf(placed)) {
      const about = { where: `${where}.command.run`, label: placed.label }
      const said = (words: string) => `the command \`${shown(run)}\` ${words}`
      for (const danger of scan(run))
        warning('command/dangerous', about, said(`${deeds[danger]}. Make sure that this is meant.`))
      if (run.length > longestScan) warning('command/unread', about, said(tooLong))
    }
  }
  if (scanned > mostScanned) warning('command/unread', 'hank', tooMany)
}

const none: ReadonlySet<Danger> = new Set()
const tooLong = `is longer than ${longestScan} characters, and only its beginning was looked at. Put it into a script.`
const tooMany = `The commands are longer than ${mostScanned} characters together, and the rest was not looked at.`

const deeds: Readonly<Record<Danger, string>> = {
  'root-or-home': 'seems to delete the root or a home directory',
  'raw-disk': 'seems to write to a raw disk',
  formatting: 'seems to format a disk',
  'windows-deletion': 'seems to delete whole directory trees on Windows',
}

type Danger = 'root-or-home' | 'raw-disk' | 'formatting' | 'windows-deletion'

/**
 * What a command line seems to do, each kind once. A guess by the words of the line, for a warning: it runs nothing, knows
 * no variable but the home directory, and prefers to miss a clever spelling over a warning about `rm -rf build`.
 */
export function dangersIn(line: string): ReadonlySet<Danger> {
  const found = new Set<Danger>()
  let atRootOrHome = false
  for (const { name, args, writes, endsGroup } of commandsIn(line, isKnown)) {
    for (const [danger, test] of rowsByName.get(family(name)) ?? []) {
      if (test(args, atRootOrHome)) found.add(danger)
    }
    if (writes.some(isRawDisk)) found.add('raw-disk')
    if (isChangeOfDirectory(name)) atRootOrHome = leadsToRootOrHome(args)
    if (endsGroup) atRootOrHome = false
  }
  return found
}

type Test = (args: readonly Word[], atRootOrHome: boolean) => boolean

const always: Test = () => true
const namesDisk: Test = args => args.some(isRawDisk)
const endsWithDisk: Test = args => args.slice(-1).some(isRawDisk)

/** What makes a command dangerous, by its name. */
const rows: readonly (readonly [names: readonly string[], danger: Danger, test: Test])[] = [
  [['rm'], 'root-or-home', removesRootOrHome],
  [['rimraf'], 'root-or-home', (args, here) => args.some(word => isFatal(word, here))],
  [['find'], 'root-or-home', findsAndDeletes],

  [['dd'], 'raw-disk', args => args.some(isRawDiskTarget)],
  [['tee', 'shred', 'blkdiscard'], 'raw-disk', namesDisk],
  [['cp', 'mv'], 'raw-disk', endsWithDisk],
  [
    ['wipefs'],
    'raw-disk',
    args => namesDisk(args, false) && args.some(({ text }) => /^-(?:-all$|[a-z]*a)/.test(text)),
  ],

  [['mkfs'], 'formatting', args => !isImage(args.at(-1))],
  [['format'], 'formatting', args => args.some(({ text }) => /^[a-z]:[\\/]*$/i.test(text))],
  [['diskutil'], 'formatting', args => /^(?:erase|reformat|zero|secureErase)/i.test(args[0]?.text ?? '')],
  [['format-volume', 'clear-disk'], 'formatting', always],

  [['del', 'erase', 'rd', 'rmdir'], 'windows-deletion', args => args.some(isTreeSwitch) || recurses(args)],
  [['deltree'], 'windows-deletion', always],
  [
    ['remove-item'],
    'windows-deletion',
    args => recurses(args) || args.some(({ text }) => /^-re?$/i.test(text)),
  ],
  [['rm', 'ri'], 'windows-deletion', args => recurses(args)],
]

const rowsByName = new Map<string, (readonly [Danger, Test])[]>()
for (const [names, danger, test] of rows) {
  for (const name of names) rowsByName.set(name, [...(rowsByName.get(name) ?? []), [danger, test]])
}

function isKnown(name: string): boolean {
  return rowsByName.has(family(name)) || isChangeOfDirectory(name)
}

/** All programs that make a file system go by one name. */
function family(name: string): string {
  return /^(?:mkfs|newfs)[._]|^(?:newfs|mke2fs|mkswap|mkdosfs|mkntfs)$/.test(name) ? 'mkfs' : name
}

function isChangeOfDirectory(name: string): boolean {
  return name === 'cd' || name === 'pushd'
}

function leadsToRootOrHome(args: readonly Word[]): boolean {
  const target = args.find(({ text }) => !text.startsWith('-'))
  return target === undefined || isRootOrHome(target)
}

function isFatal(word: Word, atRootOrHome: boolean): boolean {
  return isRootOrHome(word) || (atRootOrHome && isWholeDirectory(word))
}

/** With `-r`, the directory itself or all that is in it; without, at least all files in it. */
function removesRootOrHome(args: readonly Word[], atRootOrHome: boolean): boolean {
  const recursive = args.some(({ text }) => text === '--recursive' || /^-[a-z]*r/i.test(text))
  return args.some(word => isFatal(word, atRootOrHome) && (recursive || word.live.endsWith('*')))
}

/** Only where nothing narrows down what is found: `find ~ -name "*.tmp" -delete` is harmless. */
function findsAndDeletes(args: readonly Word[], atRootOrHome: boolean): boolean {
  const texts = args.map(({ text }) => text)
  const narrows =
    /^-(?:i?(?:name|path|regex|wholename|lname)|[acm]?newer|[acm](?:time|min)|size|user|group|perm|empty|prune|inum)/
  if (texts.some(text => narrows.test(text))) return false
  const deletes = texts.includes('-delete') || texts.some(text => /^(?:\/bin\/|\/usr\/bin\/)?rm$/.test(text))
  return deletes && args.some(word => isFatal(word, atRootOrHome))
}

function isRawDiskTarget({ text, live }: Word): boolean {
  return text.startsWith('of=') && isRawDisk({ text: text.slice(3), live: live.slice(3) })
}

/** A plain file that becomes a file system, as in `mkfs.ext4 -F disk.img`. */
function isImage(target: Word | undefined): boolean {
  const text = target?.text ?? ''
  return /[./]/.test(text) && !/^[-$]|^\/dev\//.test(text)
}

/** `/s`, also in `/q/s`. */
function isTreeSwitch({ text }: Word): boolean {
  return /^(?:\/[a-z](?::[a-z-]*)?)*\/s(?:\/|$)/i.test(text)
}

/** PowerShell takes any unmistakable beginning of `-Recurse`; shorter ones are options of other programs as well. */
function recurses(args: readonly Word[]): boolean {
  return args.some(({ text }) => /^-rec(?:u(?:r(?:s(?:e(?::\$true)?)?)?)?)?$/i.test(text))
}

/** `/`, `~`, `$HOME` and their like, or everything in one of them; not what lies deeper. */
function isRootOrHome({ live }: Word): boolean {
  const parts = partsOf(live)
  if (live.startsWith('/')) return isAbsoluteRootOrHome(parts.filter(part => part !== '..'))
  return parts.length === 1 && homes.test(parts[0] ?? '')
}

/** All of the directory that the command runs in: `.`, `*`, `./*`. */
function isWholeDirectory({ live }: Word): boolean {
  return live !== '' && !live.startsWith('/') && partsOf(live).length === 0
}

/** A whole disk or a partition; not `/dev/null` and its like. */
function isRawDisk({ text }: Word): boolean {
  return rawDisks.test(text) || windowsDisks.test(text)
}

const homes = /^(?:~[\w-]*|\$HOME|\$\{HOME(?::?[-?=+][^}]*)?\})$/

const rawDisks =
  /^\/dev\/(?:[hsv]d[a-z]+\d*|xvd[a-z]+\d*|nvme\d+n\d+(?:p\d+)?|mmcblk\d+(?:p\d+)?|r?disk\d+(?:s\d+)*|md\d+|dm-\d+|mapper\/.+|disk\/by-.+)$/

/** `\\.\PhysicalDrive0`, or what a POSIX shell would leave of its backslashes. */
const windowsDisks = /^[\\.?]+PhysicalDrive\d+$/i

/** `/home` and `/Users` hold homes, and what lies directly in them is one. */
function isAbsoluteRootOrHome(parts: readonly string[]): boolean {
  const [top, name, ...deeper] = parts
  if (top === undefined) return true
  if (top === 'home' || top === 'Users') return deeper.length === 0
  return name === undefined ? top === 'root' : top === 'var' && name === 'root' && deeper.length === 0
}

/** Without empty parts and `.`, and without patterns for everything at the end. */
function partsOf(path: string): readonly string[] {
  const parts = path.split('/').filter(part => part !== '' && part !== '.')
  return everything.has(parts.at(-1) ?? '') ? parts.slice(0, -1) : parts
}

const everything = new Set(['*', '.*', '{*,.*}', '.[!.]*'])
