import { copyFile, mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import {
  findMarked,
  isAlive,
  type Marker,
  start,
  startWarden,
  type WardenOptions,
} from '../../src/kit/index.ts'
import { outputWatch, patience } from './fixture.ts'
import { newMarker } from './marked.ts'
import { type OwnerPlan, ownerOf, wardenFile } from './owner-plan.ts'
import { leaderOf, type TreeShape } from './process-trees.ts'

const { env } = process

async function wardenProgram(): Promise<WardenOptions['program']> {
  return { command: process.execPath, args: [await wardenFile()] }
}

/** One that no test has to close. */
async function newWarden(options: Partial<WardenOptions> = {}) {
  const warden = startWarden({ program: await wardenProgram(), marker: newMarker(), ...options })
  onTestFinished(() => warden.close())
  return warden
}

/** Not `?? 0`: a signal to that goes to everyone in our group. */
function known(pid: number | undefined): number {
  if (pid === undefined) throw new Error('there is no process')
  return pid
}

const untilGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), patience)

const child = { name: 'a child', script: 'sh -c "$stay" "$pids" &' }
/** Only its marker leads to it. */
const daemon = { name: 'a daemon', script: '(setsid sh -c "$stay" "$pids" >/dev/null 2>&1 &)' }

interface OwnerOptions {
  readonly plan?: Partial<OwnerPlan>
  readonly shape?: TreeShape
  /** The whole tree loses the marker, so that only what the warden was told leads to it. */
  readonly unmarked?: boolean
  readonly environment?: NodeJS.ProcessEnv
}

/** An owner in a process of its own, with one tree; its warden, and the ids in the tree. */
async function startOwner({ plan = {}, shape = daemon, unmarked, environment = env }: OwnerOptions = {}) {
  const dir = await tempDir()
  const output = outputWatch()
  const pids = join(dir, 'pids')
  const [shell, args] = leaderOf(shape, pids, join(dir, 'go'))
  const program = await ownerOf({
    program: await wardenProgram(),
    marker: newMarker(),
    programs: [unmarked ? ['env', ['-i', shell, ...args]] : [shell, args]],
    ...plan,
  })
  const owner = start(...program, { env: environment, onOutput: output.onOutput })
  const [, warden] = await output.until(/warden (\d+)/)
  const members = () =>
    vi.waitFor(async () => {
      const found = (await readFile(pids, 'utf8')).split('\n').filter(Boolean).map(Number)
      expect(found).toHaveLength(2)
      return found
    }, patience)
  return { pid: known(owner.pid), done: owner.done, until: output.until, warden: Number(warden), members }
}

describe('a warden', () => {
  it('goes away at the normal end and ends nothing', async () => {
    const owned = start('sleep', ['30'])
    const onLost = vi.fn()
    const warden = await newWarden({ onLost })
    const pid = known(warden.pid)
    warden.own(known(owned.pid))
    expect(isAlive(pid)).toBe(true)
    await Promise.all([warden.close(), warden.close()])
    expect([isAlive(pid), isAlive(known(owned.pid)), onLost.mock.calls]).toEqual([false, true, []])
    warden.own(known(owned.pid))()
    owned.kill('enough')
    await owned.done
  })

  it('costs next to nothing while it waits, and holds nothing of ours', async () => {
    const warden = await newWarden()
    const proc = `/proc/${warden.pid}`
    const [, kilobytes] = /VmRSS:\s*(\d+) kB/.exec(await readFile(`${proc}/status`, 'utf8')) ?? []
    expect(Number(kilobytes)).toBeLessThan(8192)
    await vi.waitFor(async () => {
      const open = (await readdir(`${proc}/fd`)).filter(file => file.length === 1)
      const files = await Promise.all(open.map(file => readlink(`${proc}/fd/${file}`)))
      expect(files).toEqual([expect.stringMatching(/^(socket|pipe):/), '/dev/null', '/dev/null'])
    }, patience)
    expect(await readlink(`${proc}/cwd`)).toBe('/')
    const stat = (await readFile(`${proc}/stat`, 'utf8')).split(' ')
    expect(stat.slice(4, 6)).toEqual([`${warden.pid}`, `${warden.pid}`])
  })

  it('is replaced when it is lost, and the one after it knows the same', async () => {
    const owner = await startOwner({ shape: child, unmarked: true })
    const members = await owner.members()
    process.kill(owner.warden, 'SIGKILL')
    const [, second] = await owner.until(/warden \d+\nwarden (\d+)/)
    expect(Number(second)).not.toBe(owner.warden)
    process.kill(owner.pid, 'SIGKILL')
    await Promise.all([...members, Number(second)].map(untilGone))
    await owner.done
  })

  it('is not replaced for ever, until there is something new to own', async () => {
    const losses: boolean[] = []
    const warden = await newWarden({ onLost: ({ restarted }) => losses.push(restarted) })
    for (let loss = 1; loss <= 6; loss++) {
      process.kill(known(warden.pid), 'SIGKILL')
      await vi.waitFor(() => expect(losses).toHaveLength(loss), patience)
    }
    expect([losses, warden.pid]).toEqual([[true, true, true, true, true, false], undefined])
    const owned = start('sleep', ['30'])
    warden.own(known(owned.pid))
    expect(isAlive(known(warden.pid))).toBe(true)
    owned.kill('enough')
    await owned.done
  })

  it('does not keep its owner alive, and goes when that ends without a word', async () => {
    const owner = await startOwner({ plan: { programs: [] } })
    expect(await owner.done).toMatchObject({ outcome: 'exited', code: 0 })
    await untilGone(owner.warden)
  })

  it('is not found by the marker, though its owner was started with it', async () => {
    const marker = newMarker()
    const [variable = '', value = ''] = marker.split('=')
    const owner = await startOwner({ plan: { marker }, environment: { ...env, [variable]: value } })
    const members = await owner.members()
    const found = await findMarked(marker)
    expect(found).toEqual(expect.arrayContaining([owner.pid, ...members]))
    expect(found).not.toContain(owner.warden)
    process.kill(owner.pid, 'SIGKILL')
    await Promise.all([...members, owner.warden].map(untilGone))
    await owner.done
  })

  it('works from a place with any name, and with any marker', async () => {
    const odd = join(await tempDir(), `it's "a"\n$(touch x); %41 * place`)
    await mkdir(odd)
    await copyFile(await wardenFile(), join(odd, 'warden.mjs'))
    await symlink(process.execPath, join(odd, 'node'))
    const marker: Marker = `KIT_TEST_MARKER=\\n=${odd}`
    const program = { command: join(odd, 'node'), args: [join(odd, 'warden.mjs')] }
    const owner = await startOwner({ plan: { marker, program } })
    const members = await owner.members()
    process.kill(owner.pid, 'SIGKILL')
    await Promise.all([...members, owner.warden].map(untilGone))
    expect(await findMarked(marker)).toEqual([])
    await owner.done
  })

  it('ends the groups it was told of even when its program has been removed meanwhile', async () => {
    const owner = await startOwner({
      shape: child,
      plan: { program: { command: '/no/such/program', args: [] } },
    })
    const members = await owner.members()
    process.kill(owner.pid, 'SIGKILL')
    await Promise.all([...members, owner.warden].map(untilGone))
    await owner.done
  })
})
