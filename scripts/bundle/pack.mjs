import { createHash } from 'node:crypto'

/** @typedef {{ name: string, code: string, map: string, isSeldom?: boolean }} Script `isSeldom`: no frequent command loads it at its start */

/**
 * Which chunk imports which, at once (`statics`) or when it needs it (`lazies`), by name.
 *
 * @typedef {object} Graph
 * @property {string} entry
 * @property {ReadonlyMap<string, readonly string[]>} statics
 * @property {ReadonlyMap<string, readonly string[]>} lazies
 */

/**
 * Puts chunks that are always loaded together into one file: a program that loads much only when it is needed falls into
 * many small chunks, and to open a file takes longer than to run what is in it.
 *
 * Together are chunks that the same commands need, a command being what the start of the program loads lazily. With many
 * commands hardly two chunks have the same users, so of what a `frequent` command needs only those count: none of them loads
 * more than before, and the others load a little more in far fewer files.
 *
 * @param {readonly Script[]} scripts
 * @param {Graph} graph
 * @returns {{ scripts: Script[], entry: string }} `entry`: as the loader finds it, `pack.cjs#part.cjs` in a pack
 */
export function packed(scripts, graph) {
  const packs = groupsOf(scripts, graph).map(({ group, isSeldom }) => ({
    name: nameOf(group),
    group,
    isSeldom,
  }))
  const homes = new Map(packs.flatMap(({ name, group }) => group.map(part => [part.name, name])))
  /** @param {string} name */
  const placed = name => (homes.has(name) ? `${homes.get(name)}#${name}` : name)
  /** @param {Script} script */
  const redirected = script => ({
    ...script,
    code: script.code.replace(
      /\b(require|__weaveImport)\("\.\/([\w.-]+)"\)/g,
      (_, call, name) => `${call}("./${placed(name)}")`,
    ),
  })
  const alone = scripts
    .filter(({ name }) => !homes.has(name))
    .map(script => ({ ...redirected(script), isSeldom: !soon.test(script.name) }))
  const together = packs.map(({ name, group, isSeldom }) => ({
    ...packOf(name, group.map(redirected)),
    isSeldom,
  }))
  const all = [...alone, ...together]
  return { scripts: all, entry: placed(graph.entry) }
}

/** For whose start people wait many times a day; `fork` stands for all that read an execution and start nothing in it. */
const frequent = /^(?:run|validate|list|help|fork|fork-made)-[^-]+$/

/** What frequent commands load while they work: to unpack it would take longer than to run it. */
const soon = /^built-in-[^-]+$/

const seldom = 'seldom '

/** @param {readonly Script[]} scripts @param {Graph} graph */
function groupsOf(scripts, { entry, statics, lazies }) {
  /** @param {string} start */
  const needsOf = start => {
    /** @type {Set<string>} */
    const needs = new Set([start])
    for (const name of needs) for (const next of statics.get(name) ?? []) needs.add(next)
    return needs
  }
  const always = needsOf(entry)
  const begun = [...always].flatMap(name => lazies.get(name) ?? [])
  /** A command that begins something first loads most of itself a moment later. */
  const most = begun.flatMap(name => lazies.get(name) ?? []).filter(name => frequent.test(name))
  const commands = [...new Set([...begun, ...most])]
  const needs = commands.map(needsOf)
  const often = commands.filter(name => frequent.test(name)).map(needsOf)
  /** @param {string} name */
  const usersOf = name => {
    const [ofOften, ofAll] = [often, needs].map(sets => sets.map(all => Number(all.has(name))).join(''))
    return [ofOften, `${seldom}${ofAll}`].find(one => one?.includes('1'))
  }
  /** What only a command loads when it needs it. */
  const later = new Set([...lazies.values()].flat().filter(name => !commands.includes(name)))
  /** @type {Map<string, Script[]>} */
  const groups = new Map()
  for (const script of scripts) {
    const { name } = script
    const users = always.has(name) ? 'always' : usersOf(name)
    if (users === undefined || (users !== 'always' && later.has(name))) continue
    groups.set(users, [...(groups.get(users) ?? []), script])
  }
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .map(([users, group]) => ({ group, isSeldom: users.startsWith(seldom) }))
}

/** By its text, as the name of a chunk is: a code cache can never belong to another. @param {readonly Script[]} group */
function nameOf(group) {
  const hash = createHash('sha256')
  for (const { name, code } of group) hash.update(`${name}\n${code}\n`)
  return `pack-${hash.digest('hex').slice(0, 8).toUpperCase()}.cjs`
}

const before = 'const parts = {'
const after = `}
const made = new Map()
module.exports = name => {
  const known = made.get(name)
  if (known) return known.exports
  const part = { exports: {} }
  made.set(name, part)
  parts[name](part.exports, part)
  return part.exports
}
`

/** @param {string} name @param {readonly Script[]} parts @returns {Script} */
function packOf(name, parts) {
  const lines = [before]
  const sections = parts.map(({ name: part, code, map }) => {
    lines.push(`${JSON.stringify(part)}: (exports, module) => {`)
    const line = lines.join('\n').split('\n').length
    lines.push(code, '},')
    return { offset: { line, column: 0 }, map: JSON.parse(map) }
  })
  return { name, code: [...lines, after].join('\n'), map: JSON.stringify({ version: 3, sections }) }
}
