import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { codon, command, journalOf } from '../support/hank-folder.ts'
import { runScripted } from '../support/weave-command.ts'

let at: FleetHome
const longest = 120_000

beforeAll(async () => {
  at = await fleetHome()
}, longest)

afterAll(() => at.close(), 60_000)

/** Every turn ends after its codon. */
const shortTurns = { turnHours: 0.000_001 }

/** Files in a checkpoint, a repository, few others and many bytes. */
const made = [
  'mkdir -p src cache node_modules/p && echo one > src/one && echo warm > cache/state',
  'head -c 2000000 /dev/urandom > node_modules/p/index.js',
  'git init -q repo && git -C repo -c user.name=x -c user.email=x commit -q --allow-empty -m kept',
].join(' && ')

const looked = [
  'echo ran >> src/rigs',
  'git -C repo log --format=%s > src/log',
  'cat cache/state >> src/log',
  'ls node_modules >> src/log 2>&1 || echo missing >> src/log',
].join('; ')

const hank = [
  codon('a', { checkpointedFiles: ['src/**'], rigSetup: [command(made)] }),
  codon('b', { checkpointedFiles: ['src/**'], rigSetup: [command(looked)] }),
]

describe('an execution whose workspace is too large to move', () => {
  verifies(
    ['fleet/rest'],
    'goes on without the largest folders, says which, and begins its next codon with its rig',
    async () => {
      const folder = at.place(hank, ['one'], { fleet: { ...shortTurns, rest: { limitMB: 1 } } })
      const env = { HOME: at.home }
      const weave = (...words: readonly string[]) => runScripted(words, { cwd: folder.cwd, env })
      const id = `${await at.submitted(folder)}.1`
      const first = at.worker(folder, ['--once'])
      expect(await first.ended, first.said()).toBe(0)
      expect(first.said()).toContain(`${id}: stays behind when it moves: node_modules (2 MB); see fleet.rest`)
      const shown = await weave('fleet', 'show', id)
      expect(shown.stdout).toContain('Not moved  node_modules (1.9 MB)')
      const [row] = await at.query<{ head: object }>('select head from fleet.execution where id = $1', id)
      expect(row?.head).toMatchObject({ partial: true, left: [{ path: 'node_modules', bytes: 2_000_000 }] })
      // As on a machine that has never seen it.
      rmSync(join(at.root, 'x', id), { recursive: true })
      const second = at.worker(folder, ['--until-idle'])
      expect(await second.ended, second.said()).toBe(0)
      const home = join(at.home, 'pulled')
      expect((await weave('fleet', 'pull', id, home)).status).toBe(0)
      const read = (path: string): string => readFileSync(join(home, 'agentRoot', path), 'utf8')
      expect(read('src/rigs')).toBe('ran\n')
      expect(read('src/log')).toMatch(/^kept\nwarm\n[^\n]*\nmissing\n$/)
      expect(existsSync(join(home, 'agentRoot/node_modules'))).toBe(false)
      const left = journalOf(home).filter(({ type }) => type === 'fleet.rest')
      expect(left.map(({ data }) => data)).toEqual([{ left: [{ path: 'node_modules', bytes: 2_000_000 }] }])
    },
    longest,
  )

  verifies(
    ['fleet/rest', 'fleet/settings'],
    'leaves what is excluded, without a warning; a pattern that is none is refused',
    async () => {
      const folder = at.place(hank, ['one'], {
        fleet: { ...shortTurns, rest: { exclude: ['node_modules/'] } },
      })
      const id = `${await at.submitted(folder)}.1`
      const first = at.worker(folder, ['--once'])
      expect(await first.ended, first.said()).toBe(0)
      expect(first.said()).not.toContain('stays behind')
      const [row] = await at.query<{ head: object }>('select head from fleet.execution where id = $1', id)
      expect(row?.head).toMatchObject({ partial: true })
      expect(row?.head).not.toHaveProperty('left')
      rmSync(join(at.root, 'x', id), { recursive: true })
      const second = at.worker(folder, ['--until-idle'])
      expect(await second.ended, second.said()).toBe(0)
      const wrong = at.place(hank, [], { fleet: { rest: { exclude: ['a/**/**/**/**'] } } })
      const refused = at.worker(wrong, ['--once'])
      expect(await refused.ended).toBe(2)
      expect(refused.said()).toContain('fleet.rest.exclude')
    },
    longest,
  )
})
