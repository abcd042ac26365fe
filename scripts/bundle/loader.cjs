'use strict'
/**
 * The program's start: loads the chunks that `scripts/bundle.mjs` wrote beside this file, each with its V8 code
 * cache, so that a start neither parses nor compiles what it does not use.
 *
 * The folder of the caches is named after the build, so a cache can never belong to another text, also not one that a
 * process of an older build writes when it ends; and after what V8 compares, its version and its flags, since it refuses a
 * cache of others. When there is none, the chunk is compiled as usual. What was compiled without a cache is written when the
 * process ends; a folder that cannot be written to is no error. Flags that the program itself sets on its way are set back
 * while a cache is read or made: otherwise one that such a process wrote would be refused by every start after it. Until then V8 is told to throw nothing away that it compiled: what a
 * chunk runs only once, when it is loaded, would be missing in the cache of a process that lived for a while.
 */
const fs = require('node:fs')
/** @type {{ enableCompileCache?: (folder: string) => unknown, builtinModules: readonly string[] }} */
const { enableCompileCache } = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { cachedDataVersionTag, getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
const vm = require('node:vm')

const entry = '__ENTRY__'
// Put together by hand from here on: the names of chunks need neither normalizing nor encoding, and there are many.
const folder = __dirname + path.sep
const folderUrl = pathToFileURL(folder).href
// Of Node 24. A later V8 may not know the flags, and would say so on the screen.
const v8Major = Number.parseInt(process.versions.v8, 10)
const hasHeapFlags = v8Major <= 13
/** What the program changes, here and by `v8-flags.ts`, as it is when Node starts. */
const flagsAtStart = [
  '--flush-bytecode',
  ...(hasHeapFlags
    ? [
        '--semi-space-growth-factor=2',
        '--heap-growing-percent=0',
        v8Major === 11 ? '--interrupt-budget=67584' : '--opt',
      ]
    : []),
]
/** Where `v8-flags.ts` says what it set. */
const flagsToKeep = Symbol.for('weave.flags')
// A thread starts when they may have been changed: they are the same for all.
setFlagsFromString(flagsAtStart.join(' '))
const flagsTag = cachedDataVersionTag()
const cacheFolder =
  path.join(folder, 'cache', `${process.versions.v8}-${process.arch}-${flagsTag}-__BUILD__`) + path.sep

// Since Node 22.1: a code cache for the packages that stay outside of the chunks. When that is the oldest Node, the chunks
// can be plain ES modules, which this call covers as well, and the rest of this file goes.
enableCompileCache?.(path.join(folder, 'cache', 'packages'))

/**
 * What was loaded lazily first: of a command its own chunk. What comes then is cached for each of them, because a cache holds
 * what was compiled when it was made, and one that `list` made of a pack has little of what `fork` runs in it.
 */
let command = ''
/** @type {Map<string, { exports: any }>} */
const loaded = new Map()
/** By the file of their cache. @type {Map<string, vm.Script>} */
const uncached = new Map()
const threadMs = 2_000
/** Two halves of 4 MB. V8 would grow it to 32 MB within the first second, which a process that waits for agents never needs. */
const youngGenerationBytes = 8 * 1024 * 1024
let isYoungGenerationLimited = false

/** A chunk, or with `pack.cjs#part.cjs` a part of a pack. @param {string} id */
function load(id) {
  const [name = '', part] = id.split('#')
  const exports = loadFile(name)
  return part === undefined ? exports : exports(part)
}

/** @param {string} name @returns {any} */
function loadFile(name) {
  const known = loaded.get(name)
  if (known) return known.exports
  limitYoungGeneration()
  const file = folder + name
  const run = compile(name, file).runInThisContext()
  const module = { exports: {} }
  loaded.set(name, module)
  run(module.exports, requireFrom, module, file, __dirname, folderUrl + name, importFrom)
  return module.exports
}

/** @param {string} id */
function requireFrom(id) {
  return id.startsWith('./') ? load(id.slice(2)) : require(id)
}

/** @param {string} id @param {ImportCallOptions} [options] */
async function importFrom(id, options) {
  command ||= id.startsWith('./') ? id.slice(id.indexOf('#') + 1 || 2, -'.cjs'.length) + path.sep : ''
  return String(id).startsWith('./') ? named(load(id.slice(2))) : import(id, options)
}

/**
 * A package in CommonJS becomes a chunk with nothing but a default. Its names are put beside it, as Node does when it
 * imports one; our own modules have no default.
 *
 * @param {any} exports
 */
function named(exports) {
  const isWrapped = Object.keys(exports).join() === 'default' && typeof exports.default === 'object'
  return isWrapped ? { ...exports.default, default: exports.default } : exports
}

/** A flag, because the size itself can only be given to `node`, and who starts `weave` does not write that. */
function limitYoungGeneration() {
  if (isYoungGenerationLimited || !hasHeapFlags) return
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  if (young === undefined || young.space_size < youngGenerationBytes) return
  setFlagsFromString('--semi-space-growth-factor=1')
  isYoungGenerationLimited = true
}

/** @param {string} name @param {string} file */
function compile(name, file) {
  const cachedData = readCache(name)
  const text = readText(file)
  const names = 'exports, require, module, __filename, __dirname, __fileUrl, __weaveImport'
  const wrapped = `(function (${names}) { 'use strict'\n${text}\n})`
  const script = underFlagsAtStart(
    () => new vm.Script(wrapped, { filename: file, lineOffset: -1, cachedData }),
  )
  if (cachedData === undefined || script.cachedDataRejected) keepLater(cacheFolder + command + name, script)
  return script
}

/** @template T @param {() => T} work @returns {T} */
function underFlagsAtStart(work) {
  if (cachedDataVersionTag() === flagsTag) return work()
  setFlagsFromString(flagsAtStart.join(' '))
  try {
    return work()
  } finally {
    const kept = /** @type {Record<symbol, unknown>} */ (globalThis)[flagsToKeep]
    if (typeof kept === 'string') setFlagsFromString(kept)
    if (uncached.size > 0) setFlagsFromString('--no-flush-bytecode')
    if (isYoungGenerationLimited) setFlagsFromString('--semi-space-growth-factor=1')
  }
}

/** The chunks are ASCII, so latin1 is right and spares V8 the decoding. Some large ones are compressed. @param {string} file */
function readText(file) {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
    return require('node:zlib')
      .brotliDecompressSync(fs.readFileSync(`${file}.br`))
      .toString('latin1')
  }
}

/** @param {string} name */
function readCache(name) {
  try {
    return fs.readFileSync(cacheFolder + command + name)
  } catch {
    return undefined
  }
}

/** @param {string} file @param {vm.Script} script */
function keepLater(file, script) {
  if (uncached.size === 0) {
    setFlagsFromString('--no-flush-bytecode')
    process.once('exit', writeCaches)
    // A thread is ended by others without a word: it writes when most of what it needs was run.
    if (!require('node:worker_threads').isMainThread) setTimeout(writeCaches, threadMs).unref()
  }
  uncached.set(file, script)
}

function writeCaches() {
  try {
    underFlagsAtStart(() => {
      for (const [file, script] of uncached) {
        fs.mkdirSync(path.dirname(file), { recursive: true })
        const draft = `${file}.${process.pid}`
        fs.writeFileSync(draft, script.createCachedData())
        fs.renameSync(draft, file)
      }
      uncached.clear()
    })
  } catch {
    // Installed where this user may not write: every start compiles.
  }
}

load(entry)
