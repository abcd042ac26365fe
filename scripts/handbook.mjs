import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newest, root } from './repository.mjs'
import { tool } from './tool.mjs'

/**
 * `npm run docs`: builds the handbook as a site and says where it lies. With `--if-changed`, as in `npm run check`, only
 * when it is older than what it is made from: building takes some ten seconds, looking takes none.
 */
const site = 'docs/.vitepress/dist'

if (process.argv.includes('--if-changed') && builtAt() > newestSource()) {
  console.log(`The handbook in ${site} is current.`)
} else {
  const { status } = spawnSync(process.execPath, tool('vitepress', 'build', 'docs'), {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
  if (status === 0) {
    console.log(`\nThe handbook lies in ${site}. To read it:\n`)
    console.log(
      '  npm run docs:serve     serves it on this machine, at the address that it prints; Ctrl-C ends it\n',
    )
    console.log('Any server of files does as well. Its pages do not open from the disk without one.')
  }
}

/** The page that is written last, when all others are there. */
function builtAt() {
  return statSync(join(root, site, 'hashmap.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function newestSource() {
  const made = ['.vitepress/dist', '.vitepress/cache', '.vitepress/.temp', '.vitepress']
  const names = [
    ...readdirSync(join(root, 'docs')),
    ...readdirSync(join(root, 'docs/.vitepress')).map(name => `.vitepress/${name}`),
  ]
  const sources = names.filter(name => !made.includes(name)).map(name => `docs/${name}`)
  return Math.max(...[...sources, 'package-lock.json'].map(path => newest(join(root, path))))
}
