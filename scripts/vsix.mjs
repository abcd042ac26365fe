import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './repository.mjs'

/** `npm run vsix`: the extension for VS Code, bundled and packed to `editors/vscode/weave.vsix`. */
const folder = join(root, 'editors/vscode')
const packer = '@vscode/vsce@3.9.2'

await build({
  entryPoints: [join(folder, 'src/extension.mts')],
  outfile: join(folder, 'dist/extension.js'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  external: ['vscode'],
  minify: true,
  legalComments: 'none',
})
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
const words = ['--yes', packer, 'package', '--no-dependencies', '--out', 'weave.vsix']
const { status } = spawnSync('npx', words, { cwd: folder, stdio: 'inherit' })
process.exitCode = status ?? 1
