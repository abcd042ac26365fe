/** @import { Violation } from '../layers.mjs' */
/** @import { ResolvedImport } from './boundaries.mjs' */

/**
 * Import cycles, types included: one for each knot, as the shortest way round from its first file.
 *
 * @param {readonly ResolvedImport[]} imports
 * @returns {Violation[]}
 */
export function cycleProblems(imports) {
  const graph = graphOf(imports)
  const inKnownKnot = new Set()
  /** @type {Violation[]} */
  const problems = []
  for (const start of [...graph.keys()].sort()) {
    if (inKnownKnot.has(start)) continue
    const way = shortestWay(graph, start)
    if (!way) continue
    for (const path of knotOf(graph, start)) inKnownKnot.add(path)
    const line = imports.find(found => found.from === start && pathOf(found) === way[1])?.line ?? 1
    problems.push({ path: start, line, message: `is in an import cycle: ${way.join(' → ')}.` })
  }
  return problems
}

/** @param {readonly ResolvedImport[]} imports */
function graphOf(imports) {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map()
  for (const found of imports) {
    const to = pathOf(found)
    if (to === '') continue
    const known = graph.get(found.from)
    if (known) known.add(to)
    else graph.set(found.from, new Set([to]))
  }
  return graph
}

/** @param {ResolvedImport} found */
function pathOf({ target }) {
  return 'path' in target ? target.path : ''
}

/**
 * From `start` back to `start`, or nothing.
 *
 * @param {Map<string, Set<string>>} graph
 * @param {string} start
 * @returns {string[] | undefined}
 */
function shortestWay(graph, start) {
  const ways = [[start]]
  const seen = new Set()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, start]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

/**
 * The files that `start` reaches and that reach it.
 *
 * @param {Map<string, Set<string>>} graph
 * @param {string} start
 */
function knotOf(graph, start) {
  return [...reachable(graph, start)].filter(path => reachable(graph, path).has(start))
}

/** @param {Map<string, Set<string>>} graph @param {string} start */
function reachable(graph, start) {
  const found = new Set([start])
  for (const path of found) for (const next of graph.get(path) ?? []) found.add(next)
  return found
}
