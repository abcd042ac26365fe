import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { root } from './repository.mjs'
import { fetchedNode, nodeVersions } from './test/fetched-package.mjs'

/**
 * `npm run test:node -- 24 [files]`: the tests on another Node, which comes as a package of npm, so that nothing of the
 * machine is changed. Without files it is the whole suite.
 */
const [major = '', ...files] = process.argv.slice(2)
const words = files.length > 0 ? files : ['--whole']

if (!Object.hasOwn(nodeVersions, major)) {
  console.log(`Say on which Node: npm run test:node -- ${Object.keys(nodeVersions).join(' | ')} [files]`)
  process.exitCode = 2
} else {
  const node = fetchedNode(/** @type {keyof typeof nodeVersions} */ (Number(major)))
  const path = [dirname(node), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path }
  const { status } = spawnSync(node, ['scripts/test.mjs', ...words], { cwd: root, stdio: 'inherit', env })
  process.exitCode = status ?? 1
}
