import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolderIn } from '../support/hank-folder.ts'
import { tempDir } from '../support/temp-dir.ts'
import { launcher, root, scriptedWeave, startCommand } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

/** Everything below a directory that somebody else may use, as far as its own mode goes. */
function openToOthers(dir: string): readonly string[] {
  return ['', ...namesBelow(dir, '')].filter(name => {
    const stat = lstatSync(join(dir, name), { throwIfNoEntry: false })
    return stat !== undefined && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0
  })
}

/** What is gone before it can be looked at is passed over. */
function namesBelow(dir: string, below: string): readonly string[] {
  try {
    return readdirSync(join(dir, below), { withFileTypes: true }).flatMap(entry => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      return entry.isDirectory() ? [name, ...namesBelow(dir, name)] : [name]
    })
  } catch {
    return []
  }
}

/** What the agent program of one SDK makes with the umask of the workspace, in a folder that is private from birth. */
const isOwnMess = (name: string): boolean => name.startsWith('agents/claude/')
/** A place to find out the umask in, private itself and gone at once. */
const isProbe = (name: string): boolean => name.startsWith('checkpoints/weave-probes/')
/** What a rig copies, with the mode of its target, in a folder that is private itself. */
const isOnItsWay = (name: string): boolean => name.startsWith('scratch/')

verifies(
  ['attack/private-files'],
  'a rehearsal of two agents under umask 022: nothing below .weave is open to others, at no moment; the workspace has the umask of the person',
  async () => {
    const cwd = await tempDir()
    cpSync(join(root, 'examples/02-two-agents'), cwd, { recursive: true })
    mkdirSync(join(cwd, 'home'))
    const execution = join(cwd, 'execution')
    const words = [launcher, 'rehearse', '.', '--headless', '--port', '0', '-e', execution]
    const shell = startCommand('-e', [script, process.execPath, ...words], {
      cwd,
      env: { HOME: join(cwd, 'home') },
    })
    const internals = join(execution, '.weave')
    const seen = new Set<string>()
    let looks = 0
    let isOver = false
    const ended = shell.ended.then(code => {
      isOver = true
      return code
    })
    while (!isOver) {
      await delay(3)
      if (lstatSync(internals, { throwIfNoEntry: false }) === undefined) continue
      looks++
      for (const name of openToOthers(internals))
        if (!isOwnMess(name) && !isProbe(name) && !isOnItsWay(name)) seen.add(name)
    }
    expect(await ended, shell.said()).toBe(0)
    expect([...seen]).toEqual([])
    expect(looks).toBeGreaterThan(20)
    expect(openToOthers(internals)).toEqual([])
    expect(lstatSync(execution).mode & 0o777).toBe(0o700)
    expect(lstatSync(join(execution, 'agentRoot/page.md')).mode & 0o777).toBe(0o644)
    expect(lstatSync(join(execution, 'agentRoot/summary.md')).mode & 0o777).toBe(0o644)
  },
  240_000,
)

/** Runs a program with the umask that most people have, whatever ours is. */
const script =
  "const {spawnSync}=require('child_process');process.umask(0o022);const [c,...a]=process.argv.slice(1);" +
  "process.exit(spawnSync(c,a,{stdio:'inherit'}).status ?? 1)"

const mayMount = process.platform === 'linux' && process.getuid?.() === 0

describe.skipIf(!mayMount)('a disk that cannot be written (needs the right to mount one)', () => {
  verifies(
    ['attack/read-only-disk'],
    'lets people look: checkpoints, diff, list, journal and report; a rollback says what is in its way',
    async () => {
      const cwd = await tempDir()
      const disk = join(cwd, 'disk')
      mkdirSync(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', disk])
      try {
        const at = hankFolderIn(cwd, [codon('draft'), codon('summary')]).with({ HOME: disk })
        const run = await at.scripted('--headless', '--port', '0')
        expect(run.status, run.stderr).toBe(0)
        const before = at.weave('checkpoints')
        execFileSync('mount', ['-o', 'remount,ro', disk])
        const look = (...words: readonly string[]) => {
          const { status, stdout, stderr } = at.weave(...words)
          expect(status, `${words.join(' ')}\n${stderr}`).toBe(0)
          return stdout
        }
        expect(look('checkpoints')).toBe(before.stdout)
        expect(look('diff', 'draft:start', 'draft:end')).toContain('draft.md')
        expect(look('diff', 'draft:start')).toContain('summary.md')
        expect(look('list')).toContain('completed')
        expect(look('journal')).toContain('run.completed')
        expect(look('report', '--json')).toContain('draft.md')
        const back = at.weave('rollback', 'draft', '-y')
        expect(back.status).toBe(1)
        expect(back.stderr).toContain('EROFS')
      } finally {
        execFileSync('umount', [disk])
      }
    },
    240_000,
  )
})
