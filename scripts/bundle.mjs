import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { writeBeside, writeNotices } from './bundle/beside.mjs'
import { bundleClient } from './bundle/client.mjs'
import { bundleFleet } from './bundle/fleet.mjs'
import { bundleProgram } from './bundle/program.mjs'
import { bundleReportPage } from './bundle/report-page.mjs'
import { bundleWebPage } from './bundle/web-page.mjs'
import { root } from './repository.mjs'

/**
 * `npm run build`: the three things that are published. What a package lists under `dependencies` is installed beside
 * it and stays outside the bundle; everything else is taken in.
 */
const cli = join(root, 'packages/cli')
const client = join(root, 'packages/client')
const fleet = join(root, 'packages/fleet')
/** @type {string[]} */
const workspaces = manifest(root).workspaces.map(
  (/** @type {string} */ folder) => manifest(join(root, folder)).name,
)

try {
  for (const { file, bytes } of await buildAll()) {
    console.log(`${(bytes / 1024).toFixed(1).padStart(8)} kB  ${relative(root, file)}`)
  }
} catch (error) {
  // esbuild has already shown where the source does not build.
  if (!(error instanceof Error && 'errors' in error)) throw error
  process.exitCode = 1
}

async function buildAll() {
  const { inputs: ofPage, ...page } = await bundleReportPage(root)
  const [program, library, queue] = await Promise.all([
    bundleProgram({
      entry: join(cli, 'src/main.ts'),
      outdir: join(cli, 'dist'),
      name: 'weave',
      // Loaded by who has it; a fleet is a package of its own.
      external: [...installed(cli), 'weave-fleet'],
      define: {
        __WEAVE_VERSION__: JSON.stringify(manifest(cli).version),
        __WEAVE_REPORT_PAGE__: JSON.stringify(JSON.stringify(page)),
      },
    }),
    bundleClient({ root, outdir: join(client, 'dist'), external: installed(client) }),
    bundleFleet({ root, outdir: join(fleet, 'dist') }),
  ])
  // After the program, which clears the folder.
  const dashboard = await bundleWebPage({ root, outdir: join(cli, 'dist/web') })
  writeBeside({ root, cli, inputs: [...program.inputs, ...ofPage, ...dashboard.inputs] })
  writeNotices({ root, folder: fleet, inputs: queue.inputs })
  return [...program.files, ...library, ...queue.files, ...dashboard.files]
}

/** @param {string} folder */
function installed(folder) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest(folder)
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.filter(name => !workspaces.includes(name))
}

/** @param {string} folder */
function manifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
