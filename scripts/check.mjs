import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runParts } from './check/run-parts.mjs'
import { root } from './repository.mjs'
import { tool } from './tool.mjs'

/** `npm run check`: every check there is, or only those named: `npm run check -- layers docs`. */
const parts = {
  format: [tool('@biomejs/biome', 'check', '--error-on-warnings', '.')],
  lint: [tool('oxlint', '--type-aware', '--deny-warnings', '.')],
  types: projects().map(project => tool('typescript', '-p', project)),
  layers: [['scripts/check-layers.mjs']],
  docs: [['scripts/check-docs.mjs']],
  handbook: [['scripts/handbook.mjs', '--if-changed']],
  generated: [tool('tsx', '--conditions=weave-source', 'scripts/generate.ts', '--check')],
  unused: [tool('knip', '--no-config-hints')],
}

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !Object.hasOwn(parts, name))

if (unknown.length > 0) {
  console.log(`There is no check ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}.`)
  process.exitCode = 2
} else {
  const wanted = Object.entries(parts).filter(([name]) => asked.length === 0 || asked.includes(name))
  const limit = Math.min(3, Math.max(2, availableParallelism()))
  const passed = await runParts(wanted, limit)
  process.exitCode = passed ? 0 : 1
}

/**
 * The root, which is all that runs in Node, with tests and scripts: in projects of their own most files would be checked several times;
 * and what runs elsewhere, each with what it may use.
 */
function projects() {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const others = readdirSync(join(root, 'packages'))
    .map(name => `packages/${name}`)
    .filter(folder => !include.includes(`${folder}/src`))
  return ['.', 'packages/web/test/page', ...others]
}
