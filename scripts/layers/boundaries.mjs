import { homeOf, housedIn } from './places.mjs'

/** @import { Place, Rules } from '../layers.mjs' */
/** @import { Import } from './parse.mjs' */
/** @import { Target } from './places.mjs' */

/**
 * The direction of imports: which workspace and which room may know which, through which door.
 * Each function answers with what is wrong, or with nothing.
 *
 * @typedef {Import & { from: string, target: Target }} ResolvedImport
 */

/** @param {ResolvedImport} found @param {Rules} rules @returns {string | undefined} */
export function boundaryProblem(found, rules) {
  const { from, target } = found
  const home = homeOf(from)
  if (home.area === 'src') return problemInSource(found, rules)
  if (target.kind !== 'file' || home.workspace === undefined) return undefined
  const crosses = (homeOf(target.path).workspace ?? home.workspace) !== home.workspace
  return crosses ? crossing(found) : undefined
}

/** @param {ResolvedImport} found @param {Rules} rules */
function problemInSource(found, rules) {
  const { from, target } = found
  switch (target.kind) {
    case 'file':
      return problemWithFile(found, target.path, rules)
    case 'workspace':
      return problemWithWorkspace(found, target, rules)
    case 'package':
      return problemWithPackage(from, target.name, rules)
    case 'builtin':
      if (!rules.workspaces[homeOf(from).workspace ?? '']?.browserSafe) return undefined
      return `imports ${target.name}; ${homeOf(from).workspace} also runs in browsers and takes such things as parameters.`
  }
}

/** @param {ResolvedImport} found @param {string} path @param {Rules} rules */
function problemWithFile(found, path, rules) {
  const home = homeOf(found.from)
  const there = homeOf(path)
  if (there.workspace !== home.workspace || there.area !== 'src') return crossing(found)
  if (path === `packages/${home.workspace}/src/index.ts`) return ownDoor(found)
  if (home.room === undefined || there.room === undefined) return undefined
  if (there.room === home.room) return path === doorOf(home.room) ? ownDoor(found) : undefined
  return problemBetweenRooms(found, path, rules)
}

/** @param {ResolvedImport} found @param {string} path @param {Rules} rules */
function problemBetweenRooms(found, path, rules) {
  const from = homeOf(found.from).room ?? ''
  const to = homeOf(path).room ?? ''
  const place = rules.rooms[from]
  if (place === undefined) return undefined
  const inside = path.slice(`packages/${housedIn}/src/`.length)
  if (!mayImport(place, [to, inside], found.typeOnly)) return notInTable({ from, to, place, inside })
  const isDoor = !inside.includes('/') || path === doorOf(to) || isSecondDoor(rules.rooms[to], inside)
  return isDoor ? undefined : `imports ${inside} past its door; use ${to}/index.ts.`
}

/** @param {ResolvedImport} found @param {{ workspace: string, path: string }} target @param {Rules} rules */
function problemWithWorkspace(found, { workspace, path }, rules) {
  const home = homeOf(found.from)
  const from = home.workspace ?? ''
  if (workspace === from) return ownDoor(found)
  const place = rules.workspaces[from]
  if (!place?.imports.includes(workspace)) return notInTable({ from, to: workspace, place })
  const room = home.room === undefined ? undefined : rules.rooms[home.room]
  if (room && !mayImport(room, [workspace], found.typeOnly)) {
    return notInTable({ from: home.room ?? '', to: workspace, place: room })
  }
  return path === ''
    ? `imports ${found.specifier}, which ${workspace}/package.json does not export.`
    : undefined
}

/** @param {string} from @param {string} name @param {Rules} rules */
function problemWithPackage(from, name, rules) {
  const { workspace = '', room = '' } = homeOf(from)
  const limits = [
    { who: room, allowed: rules.rooms[room]?.packages },
    { who: workspace, allowed: rules.workspaces[workspace]?.packages },
  ]
  const broken = limits.find(({ allowed }) => allowed && !allowed.includes(name))
  if (!broken) return undefined
  return `imports the package ${name}; ${broken.who} may use: ${listed(broken.allowed)}. Take it as a parameter, or allow it in layers.json.`
}

/**
 * `names` are the ways to name the target, any of which will do.
 *
 * @param {Place} place
 * @param {string[]} names
 * @param {boolean} typeOnly
 */
function mayImport(place, names, typeOnly) {
  const permitted = ['everything', ...names, ...(typeOnly ? names.map(name => `type ${name}`) : [])]
  return place.imports.some(entry => permitted.includes(entry))
}

/** @param {{ from: string, to: string, place: Place | undefined, inside?: string }} broken */
function notInTable({ from, to, place, inside = '' }) {
  const narrower = place?.imports.find(entry => entry === `type ${to}` || entry.startsWith(`${to}/`))
  const named = narrower && inside !== '' ? inside : to
  const advice = narrower
    ? `only ${narrower} is open to it`
    : 'hand it a function where the rooms are wired, in execution'
  return `imports ${named}; ${from} may import: ${listed(place?.imports)} (${advice}).`
}

/** @param {readonly string[] | undefined} names */
function listed(names = []) {
  return names.length === 0 ? 'nothing' : names.join(', ')
}

/** @param {string} room */
function doorOf(room) {
  return `packages/${housedIn}/src/${room}/index.ts`
}

/** @param {Place | undefined} place @param {string} inside */
function isSecondDoor(place, inside) {
  return place?.doors?.includes(inside.slice(inside.indexOf('/') + 1)) ?? false
}

/** @param {ResolvedImport} found */
function ownDoor({ specifier }) {
  return `imports its own door (${specifier}); import the file that has the thing.`
}

/** @param {ResolvedImport} found */
function crossing({ from, specifier }) {
  return `reaches out of packages/${homeOf(from).workspace} by the relative path ${specifier}; import the workspace by its name.`
}
