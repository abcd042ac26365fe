import { homeOf, housedIn, isSource } from './places.mjs'

/** @import { RepoFile, Rules, Violation } from '../layers.mjs' */

/**
 * Rows of the table that are single files, and rows that may see everything: there are few, and there shall not be more.
 *
 * @param {Rules} rules
 * @returns {Violation[]}
 */
export function figureProblems({ rooms, figures }) {
  const loose = Object.keys(rooms).filter(name => name.includes('.') && !figures.looseFiles.includes(name))
  const seeing = Object.keys(rooms).filter(name => rooms[name]?.imports.includes('everything'))
  const messages = loose.map(name => `has the row ${name}, a file outside of every room; give it a room.`)
  if (seeing.length > figures.mostThatSeeEverything)
    messages.push(
      `lets ${seeing.join(', ')} import everything; at most ${figures.mostThatSeeEverything} may: list what they import.`,
    )
  return messages.map(message => ({ path: 'layers.json', line: 1, message }))
}

/**
 * Every room is in the table and has a door.
 *
 * @param {readonly RepoFile[]} files
 * @param {Rules} rules
 * @returns {Violation[]}
 */
export function roomProblems(files, rules) {
  const paths = new Set(files.map(file => file.path))
  const firstOf = new Map()
  for (const path of paths) {
    const { room } = homeOf(path)
    if (room !== undefined && isSource(path) && !firstOf.has(room)) firstOf.set(room, path)
  }
  return [...firstOf].flatMap(([room, path]) => {
    const problems = []
    if (!rules.rooms[room]) {
      problems.push({
        path,
        line: 1,
        message: `lives in ${room}, which layers.json does not list; add it there or move the file.`,
      })
    }
    const door = `packages/${housedIn}/src/${room}/index.ts`
    if (path !== `packages/${housedIn}/src/${room}` && !paths.has(door)) {
      problems.push({
        path: door,
        line: 1,
        message: `is missing: a room shows what it offers in its door, index.ts.`,
      })
    }
    return problems
  })
}
