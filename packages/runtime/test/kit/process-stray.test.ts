import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { isAlive, processStartTime, processTable, run } from '../../src/kit/index.ts'
import { findStrays, type Premises } from '../../src/kit/process-clues.ts'
import { endOwned } from '../../src/kit/process-sweep.ts'

/** Started by `sh` in `cwd`; the id of the process that stays. */
async function left(script: string, cwd: string): Promise<number> {
  const file = join(await tempDir(), 'pid')
  writeFileSync(`${file}.sh`, `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 60`)
  const shell: ChildProcess = spawn('sh', ['-c', script.replace('STAY', `sh ${file}.sh`)], {
    cwd,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: '/somewhere' },
  })
  await new Promise(resolve => shell.once('exit', resolve))
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 10_000, interval: 10 })
  const pid = Number(readFileSync(file, 'utf8'))
  onTestFinished(() => void endOwned({ keys: [{ pid, startTime: processStartTime(pid) ?? '' }] }))
  return pid
}

const straysIn = async (premises: Premises) => findStrays(premises, await processTable())
const ownStart = () => processStartTime(process.pid) ?? ''

describe('what is left astray in a directory', () => {
  test.each([
    ['with an emptied environment in a session of its own', '(env -i setsid STAY &)'],
    ['with nothing but a path', '(env -i PATH="$PATH" setsid STAY &)'],
  ])('is found: %s', async (_, script) => {
    const directory = await tempDir()
    mkdirSync(join(directory, 'below'))
    const pids = [await left(script, directory), await left(script, join(directory, 'below'))]
    const found = await straysIn({ directory, since: ownStart() })
    expect(new Set(found)).toEqual(new Set(pids))
  })

  test.each([
    ['it knows its user', '(setsid STAY &)'],
    ['it knows where its user is at home', '(env -i HOME=/root setsid STAY &)'],
    ['it works elsewhere', '(cd / && env -i setsid STAY &)'],
    ['it works in a directory whose name begins alike', '(cd "$PWD-other" && env -i setsid STAY &)'],
  ])('is not what a person may have started: %s', async (_, script) => {
    const directory = await tempDir()
    mkdirSync(`${directory}-other`)
    const pid = await left(script, directory)
    expect(isAlive(pid)).toBe(true)
    expect(await straysIn({ directory, since: ownStart() })).toEqual([])
  })

  test('is not what has a living parent, or a terminal, or was there before', async () => {
    const directory = await tempDir()
    const file = join(directory, 'pid')
    const parent = spawn('sh', ['-c', `env -i setsid sh -c 'echo $$ > ${file}; exec sleep 60' & wait`], {
      cwd: directory,
      stdio: 'ignore',
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/\n/), { timeout: 10_000 })
    const child = Number(readFileSync(file, 'utf8'))
    onTestFinished(() => void process.kill(child, 'SIGKILL'))
    // `script` has a terminal for it; its parent, the shell in brackets, has ended.
    const screen = await left(
      '(script -qfc "(env -i STAY &); sleep 8" /dev/null >/dev/null 2>&1 &)',
      directory,
    )
    expect(isAlive(child) && isAlive(screen)).toBe(true)
    const found = await straysIn({ directory, since: ownStart() })
    expect(found).not.toContain(child)
    expect(found).not.toContain(screen)

    const old = await left('(env -i setsid STAY &)', directory)
    const young = spawn('sleep', ['60'], { stdio: 'ignore' })
    onTestFinished(() => void young.kill('SIGKILL'))
    const later = processStartTime(young.pid ?? 0) ?? ''
    const [ticks = '', boot] = later.split('@')
    expect(await straysIn({ directory, since: `${BigInt(ticks) + 1n}@${boot}` })).not.toContain(old)
    expect(await straysIn({ directory, since: ownStart() })).toContain(old)
  })

  test('ends with the command that left it', async () => {
    const directory = await tempDir()
    const file = join(directory, 'pid')
    const script = `(env -i setsid sh -c 'echo $$ > ${file}; exec sleep 60' >/dev/null 2>&1 &)
      until [ -s ${file} ]; do sleep 0.01; done`
    const { code } = await run('sh', ['-c', script], {
      cwd: directory,
      env: { PATH: process.env['PATH'] },
      marker: `WEAVE_RIG_ID=${file}`,
      premises: directory,
    })
    expect(code).toBe(0)
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
  })
})
