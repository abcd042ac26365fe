'use strict'
/**
 * The program's start: loads the chunks that `scripts/bundle.mjs` wrote beside this file, each with its V8 code
 * cache, so that a start neither parses nor compiles what it does not use.
 *
 * The folder of the caches is named after the build, so a cache can never belong to another text, also not one that a
 * process of an older build writes when it ends. V8 itself refuses a cache of another version or other flags; then, or
 * when there is none, the chunk is compiled as usual. What was compiled without a cache is written when the process
 * ends; a folder that cannot be written to is no error. Until then V8 is told to throw nothing away that it compiled: what a
 * chunk runs only once, when it is loaded, would be missing in the cache of a process that lived for a while.
 */
const fs = require('node:fs')
/** @type {{ enableCompileCache?: (folder: string) => unknown, builtinModules: readonly string[] }} */
const { enableCompileCache } = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
const vm = require('node:vm')

const entry = '__ENTRY__'
// Put together by hand from here on: the names of chunks need neither normalizing nor encoding, and there are many.
const folder = __dirname + path.sep
const folderUrl = pathToFileURL(folder).href
const cacheFolder = path.join(folder, 'cache', `${process.versions.v8}-${process.arch}-__BUILD__`) + path.sep

// Since Node 22.1: a code cache for the packages that stay outside of the chunks. When that is the oldest Node, the chunks
// can be plain ES modules, which this call covers as well, and the rest of this file goes.
enableCompileCache?.(path.join(folder, 'cache', 'packages'))

/** @type {Map<string, { exports: any }>} */
const loaded = new Map()
/** @type {Map<string, vm.Script>} */
const uncached = new Map()
const threadMs = 2_000
/** Two halves of 4 MB. V8 would grow it to 32 MB within the first second, which a process that waits for agents never needs. */
const youngGenerationBytes = 8 * 1024 * 1024
// Of Node 24. A later V8 may not know the flag, and would say so on the screen.
let isYoungGenerationLimited = Number.parseInt(process.versions.v8, 10) > 13

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
  if (isYoungGenerationLimited) return
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
  const script = new vm.Script(wrapped, { filename: file, lineOffset: -1, cachedData })
  if (cachedData === undefined) keepLater(name, script)
  return script
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
    return fs.readFileSync(cacheFolder + name)
  } catch {
    return undefined
  }
}

/** @param {string} name @param {vm.Script} script */
function keepLater(name, script) {
  if (uncached.size === 0) {
    setFlagsFromString('--no-flush-bytecode')
    process.once('exit', writeCaches)
    // A thread is ended by others without a word: it writes when most of what it needs was run.
    if (!require('node:worker_threads').isMainThread) setTimeout(writeCaches, threadMs).unref()
  }
  uncached.set(name, script)
}

function writeCaches() {
  try {
    // V8 refuses a cache that was made under other flags.
    setFlagsFromString('--flush-bytecode')
    fs.mkdirSync(cacheFolder, { recursive: true })
    for (const [name, script] of uncached) {
      const file = cacheFolder + name
      const draft = `${file}.${process.pid}`
      fs.writeFileSync(draft, script.createCachedData())
      fs.renameSync(draft, file)
    }
    uncached.clear()
  } catch {
    // Installed where this user may not write: every start compiles.
  }
}

load(entry)
