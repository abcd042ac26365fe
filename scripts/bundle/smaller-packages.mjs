import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { transform } from 'esbuild'
import { parseSync } from 'oxc-parser'

/** @import { Plugin, PluginBuild } from 'esbuild' */

/**
 * Everybody who runs `npx weave-runtime` downloads and unpacks what the packages bring. Here is what nobody uses, and
 * what can be kept smaller; all of it only in the bundle.
 *
 * @returns {Plugin}
 */
export function smallerPackages() {
  return {
    name: 'smaller-packages',
    setup(build) {
      withoutLanguages(build)
      withSmallValidator(build)
      withOneClient(build)
      withoutUnused(build)
      withPackedInterpreter(build)
      withShortNames(build)
      withModelsAsText(build)
    },
  }
}

/**
 * The messages of zod in all languages but its own: half of what every command that reads a run would load.
 *
 * @param {PluginBuild} build
 */
function withoutLanguages({ onLoad }) {
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({ contents: 'export {}' }))
}

/**
 * Both halves of the MCP SDK bring ajv, 150 kB each, and beside it a validator of a tenth of the size, which is their
 * default where no code may be generated.
 *
 * @param {PluginBuild} build
 */
function withSmallValidator({ onLoad }) {
  onLoad(
    { filter: /[\\/]@modelcontextprotocol[\\/](server|client)[\\/]dist[\\/]shimsNode\.mjs$/ },
    ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(
          /import \{ n as AjvJsonSchemaValidator \} from "[^"]+"/,
          `import { ${small} } from "./validators/cfWorker.mjs"`,
        )
        .replace('AjvJsonSchemaValidator as', `${small} as`),
      resolveDir: dirname(path),
    }),
  )
}

const small = 'CfWorkerJsonSchemaValidator'

/**
 * Of undici only the client of one address, which the proxy uses: no fetch, WebSocket, cache or mocks.
 *
 * @param {PluginBuild} build
 */
function withOneClient({ onLoad, onResolve }) {
  onResolve({ filter: /^undici$/ }, ({ importer }) =>
    /[\\/]proxy[\\/]upstream[\\/]upstream-transport\.ts$/.test(importer)
      ? undefined
      : { errors: [{ text: 'The bundle has only that of undici which upstream-transport.ts uses.' }] },
  )
  onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]index\.js$/ }, () => ({
    contents: `
      require('./lib/dispatcher/dispatcher.js').prototype.connect = require('./lib/api/api-connect.js')
      module.exports = {
        Client: require('./lib/dispatcher/client.js'),
        buildConnector: require('./lib/core/connect.js'),
      }`,
  }))
}

/**
 * What is only for models that are named by a text alone, and for clients that sign with a key of their own: nothing of ours
 * does either. Who did would be told so.
 *
 * @param {PluginBuild} build
 */
function withoutUnused({ onLoad, onResolve }) {
  onResolve({ filter: /^(@ai-sdk\/gateway|jose)$/ }, ({ path }) => ({ path, namespace: 'left-out' }))
  onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
    contents: path === 'jose' ? `throw new Error('jose is left out of this build')` : noGateway,
  }))
}

const noGateway = `
  export class GatewayError extends Error { static isInstance() { return false } }
  export class GatewayAuthenticationError extends GatewayError {}
  const leftOut = () => { throw new Error('the gateway of the AI SDK is left out of this build') }
  export const createGateway = leftOut
  export const gateway = { languageModel: leftOut, embeddingModel: leftOut, imageModel: leftOut, videoModel: leftOut }`

/**
 * The interpreter of templates is WebAssembly in a string of 800 kB; compressed it is a third of that, and unpacked in
 * 7 ms by the thread that needs it.
 *
 * @param {PluginBuild} build
 */
function withPackedInterpreter({ onLoad }) {
  onLoad({ filter: /[\\/]quickjs-singlefile-[\w-]+[\\/]dist[\\/]index\.js$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8')
    const { start, end, value } = longestTemplate(parseSync(path, text).program)
    const packed = brotliCompressSync(Buffer.from(value)).toString('base64')
    const unpack = `require('node:zlib').brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString()`
    return { contents: text.slice(0, start) + unpack + text.slice(end), resolveDir: dirname(path) }
  })
}

/**
 * @param {unknown} node
 * @returns {{ start: number, end: number, value: string }}
 */
function longestTemplate(node) {
  const none = { start: 0, end: 0, value: '' }
  if (typeof node !== 'object' || node === null) return none
  const { type, quasis, start, end } = /** @type {Template} */ (node)
  const [only, ...others] = type === 'TemplateLiteral' ? quasis : []
  if (only && others.length === 0) return { start, end, value: only.value.cooked }
  return Object.values(node)
    .map(longestTemplate)
    .reduce((longest, found) => (found.value.length > longest.value.length ? found : longest), none)
}

/** @typedef {{ type: string, start: number, end: number, quasis: { value: { cooked: string } }[] }} Template */

/**
 * A chunk that has code of ours keeps all its names for stack traces. The largest packages that share one with us get
 * short names inside their functions first.
 *
 * @param {PluginBuild} build
 */
function withShortNames({ onLoad }) {
  onLoad({ filter: /[\\/](vscode-[\w-]+|@modelcontextprotocol)[\\/].*\.[cm]?js$/ }, async ({ path }) => {
    const text = readFileSync(path, 'utf8')
    const { code } = await transform(text, { minifyIdentifiers: true, sourcemap: 'inline', sourcefile: path })
    return { contents: code, resolveDir: dirname(path) }
  })
}

/**
 * The table of models: one text to be parsed, since V8 takes each of more than a thousand texts out of a code cache by itself. In
 * ASCII: a single other letter would make the whole text one of two bytes a letter, which takes twice as long to read.
 *
 * @param {PluginBuild} build
 */
function withModelsAsText({ onLoad }) {
  onLoad({ filter: /[\\/]models[\\/]models\.json$/ }, ({ path }) => {
    const rows = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))
    return { contents: `export default JSON.parse(${JSON.stringify(asciiJson(rows))})` }
  })
}

/** The same JSON with escapes for letters beyond ASCII. @param {string} json */
function asciiJson(json) {
  return json.replace(/[^ -~]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
