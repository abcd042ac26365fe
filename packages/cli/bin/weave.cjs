#!/usr/bin/env node
'use strict'
// The shortest way to the version; for the rest the program itself, with its code cache.
const words = process.argv.slice(2)
if (words.length === 1 && words[0] === '--version') {
  process.stdout.write(`${require('../package.json').version}\n`)
} else {
  start()
}

function start() {
  try {
    require('../dist/weave.cjs')
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !String(error.message).includes('dist/weave.cjs')) throw error
    process.stderr.write('weave is not built yet. Run "npm run build" in its repository first.\n')
    process.exitCode = 1
  }
}
