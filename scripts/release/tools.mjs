import { spawnSync } from 'node:child_process'

/** Fetched when they are needed, in these versions: they check packages and are no part of any. */
const versions = { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' }

/**
 * What others say of the shape of a package.
 *
 * @param {keyof typeof versions} name
 * @param {string} command
 * @param {readonly string[]} words
 * @returns {string[]} what is wrong
 */
export function toolProblems(name, command, words) {
  const args = [
    'exec',
    '--yes',
    '--ignore-scripts',
    `--package=${name}@${versions[name]}`,
    '--',
    command,
    ...words,
  ]
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  return status === 0 ? [] : [`${command} ${words.join(' ')}: exit ${status}\n${stdout}${stderr}`]
}

/** The man page, where there is somebody to read it. @param {string} file */
export function manProblems(file) {
  const { error, status, stdout } = spawnSync('mandoc', ['-T', 'lint', file], { encoding: 'utf8' })
  if (error) return process.env['WEAVE_TEST_PROGRAMS'] === 'all' ? ['mandoc is not installed'] : []
  return status === 0 && stdout === '' ? [] : [`mandoc -T lint: ${stdout}`]
}
