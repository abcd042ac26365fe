import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'

/** Does to a work tree what agents do, by chance, and the same again for the same seed. */
export interface Disturber {
  change(times: number): void
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

/** One character per byte: some are no text at all. */
const names = [
  'a',
  'b.txt',
  'c.md',
  'private.md',
  'with space ',
  'new\nline',
  '"quotes"',
  "it's",
  'back\\slash',
  '-dash',
  '.hidden',
  '.gitignore',
  '.gitattributes',
  '.gitmodules',
  'Upper',
  'upper',
  Buffer.from('ünï').toString('latin1'),
  Buffer.from('日本').toString('latin1'),
  Buffer.from('🙂').toString('latin1'),
  '\xff\xfe',
  'bad\xe9name',
  'a.aside',
]
const roots = ['work', 'any', 'work/deep', 'work/x', 'any/y', 'free', 'free/z']

export function createDisturber(workTree: string, seed: number): Disturber {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
  const root = Buffer.from(workTree).toString('latin1')
  const somewhere = () => {
    const levels = Array.from({ length: below(3) }, () => pick(names))
    return [root, ...(below(8) === 0 ? [] : [pick(roots)]), ...levels, pick(names)].join('/')
  }
  const something = () => {
    const parent = [root, ...(below(8) === 0 ? [] : [pick(roots)])].join('/')
    const inside = list(parent)
    return inside.length === 0 ? undefined : `${parent}/${pick(inside)}`
  }

  const changes = [
    () => put(somewhere(), content(below)),
    () => put(somewhere(), content(below)),
    () => put(something() ?? somewhere(), content(below)),
    () => put(`${root}/${pick(names)}`, content(below)),
    () => remove(something()),
    () => mode(something(), pick([0o644, 0o755, 0o600, 0o700])),
    () => link(somewhere(), pick(['../free', 'nowhere', '/etc/passwd', 'a', '.'])),
    () => move(something(), somewhere()),
    () => utimes(something()),
    () => repository(something()),
    () => put(somewhere(), Buffer.alloc(70_000 + below(10), below(256))),
    () => ensure(somewhere()),
  ]
  return {
    below,
    pick,
    change(times) {
      for (let time = 0; time < times; time++) pick(changes)()
    },
  }
}

const at = (path: string) => Buffer.from(path, 'latin1')

function list(path: string): readonly string[] {
  try {
    return readdirSync(at(path), { encoding: 'latin1' }).filter(name => name !== '.git')
  } catch {
    return []
  }
}

/** What stands in the way of the directories goes. */
function ensure(path: string): void {
  const parts = path.split('/')
  for (let count = 2; count <= parts.length; count++) {
    const directory = parts.slice(0, count).join('/')
    const stats = lstatSync(at(directory), { throwIfNoEntry: false })
    if (stats?.isDirectory()) continue
    if (stats) rmSync(at(directory))
    mkdirSync(at(directory))
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function put(path: string, bytes: Buffer): void {
  ensure(parentOf(path))
  remove(path)
  writeFileSync(at(path), bytes)
}

function remove(path: string | undefined): void {
  if (path === undefined) return
  const stats = lstatSync(at(path), { throwIfNoEntry: false })
  if (!stats) return
  if (stats.isDirectory())
    for (const name of readdirSync(at(path), { encoding: 'latin1' })) remove(`${path}/${name}`)
  rmSync(at(path), { recursive: stats.isDirectory() })
}

function mode(path: string | undefined, bits: number): void {
  if (path !== undefined && lstatSync(at(path)).isFile()) chmodSync(at(path), bits)
}

function link(path: string, target: string): void {
  ensure(parentOf(path))
  remove(path)
  symlinkSync(target, at(path))
}

function move(from: string | undefined, to: string): void {
  if (from === undefined || to === from || to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) return
  ensure(parentOf(to))
  if (!existsSync(at(from)) && !lstatSync(at(from), { throwIfNoEntry: false })) return
  remove(to)
  renameSync(at(from), at(to))
}

function utimes(path: string | undefined): void {
  if (path !== undefined && lstatSync(at(path)).isFile()) utimesSync(at(path), 1_000_000, 1_000_000)
}

/** Makes a directory look like a repository of its own. */
function repository(path: string | undefined): void {
  if (path === undefined || !lstatSync(at(path)).isDirectory()) return
  ensure(`${path}/.git/refs`)
  writeFileSync(at(`${path}/.git/HEAD`), 'ref: refs/heads/main\n')
}

function content(below: (limit: number) => number): Buffer {
  const kinds = [
    () => Buffer.from(`text ${below(5)}\r\n`),
    () => Buffer.from([0, 255, below(256), 10]),
    () => Buffer.alloc(0),
    () => Buffer.alloc(below(5_000), 'line\n'),
  ]
  return (kinds[below(kinds.length)] ?? kinds[0])?.() ?? Buffer.alloc(0)
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
