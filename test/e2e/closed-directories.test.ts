import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type CliResult, root } from '../support/run-cli.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { tempDir } from '../support/temp-dir.ts'

let program = ''
beforeAll(async () => {
  program = await scriptedWeave()
  // Its folder is ours alone.
  chmodSync(dirname(dirname(program)), 0o755)
}, 120_000)

/** Permissions mean nothing to root: the command runs as somebody else. */
const somebody = 1500
/** The repository must be within their reach, too. */
const maySwitch =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [...asSomebody(), 'cat', join(root, 'package.json')]).status === 0
const mayMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', root]).status === 0

/** As the module cache of Go and others do. */
const closed = 'mkdir -p mod/pkg && echo x > mod/pkg/f.go && chmod 555 mod/pkg mod'

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: `Work on ${id}.`,
  checkpointedFiles: ['**'],
  ...more,
})
const command = (run: string) => ({ type: 'command', command: { run } })

describe.skipIf(!maySwitch)(
  'a directory that was left read-only (needs the right to be another user)',
  () => {
    verifies(
      ['attack/read-only-directory'],
      'stops neither a retry, nor the start after a kill, nor a rollback and its undo',
      async () => {
        // The first attempt leaves the directory and fails, the second leaves it and kills the server, the third completes.
        const tries = `${closed}; echo x >> ../tries; n=$(wc -l < ../tries); [ $n != 2 ] || kill -9 $PPID; [ $n = 3 ]`
        const at = await place(
          [
            codon('a', {
              rigSetup: [command('mkdir -p arc/d && echo x > arc/d/g && chmod 555 arc/d')],
              archiveOnSuccess: ['arc/**'],
            }),
            codon('b', {
              rigSetup: [command(tries)],
              onFailure: 'retry',
              retryConfig: { maxAttempts: 3, delayMs: 1 },
            }),
            codon('c', { rigSetup: [command(closed)] }),
          ],
          'somebody',
        )
        const first = weave(at)
        expect(first.status, said(first)).not.toBe(0)
        expect(tried(at), said(first)).toBe(2)
        const second = weave(at)
        expect(second, said(second)).toMatchObject({ status: 0 })
        expect(tried(at)).toBe(3)
        expect(fileMode(at, 'mod/pkg')).toBe(0o555)
        const back = weave(at, 'rollback', 'a', '-y')
        expect(back, said(back)).toMatchObject({ status: 0 })
        expect(existsSync(workspace(at, 'mod'))).toBe(false)
        const undone = weave(at, 'rollback', '--undo', '-y')
        expect(undone, said(undone)).toMatchObject({ status: 0 })
        expect(readFileSync(workspace(at, 'mod/pkg/f.go'), 'utf8')).toBe('x\n')
        expect(readFileSync(join(executionOf(at), 'rigArchive/a/arc/d/g'), 'utf8')).toBe('x\n')
        expect(existsSync(workspace(at, 'arc'))).toBe(false)
      },
      180_000,
    )
  },
)

describe.skipIf(!mayMount)('a mount point below the workspace (needs the right to mount)', () => {
  verifies(
    ['attack/mount-point'],
    'that a rollback empties stays as an empty directory, and the rollback is whole',
    async () => {
      const at = await place([
        codon('a'),
        codon('b', { rigSetup: [command('mkdir -p deep/point && echo y > other.txt')] }),
      ])
      expectDone(weave(at))
      const point = workspace(at, 'deep/point')
      mountAt(point)
      const back = weave(at, 'rollback', 'a', '-y')
      expect(back, said(back)).toMatchObject({ status: 0 })
      expect(readdirSync(point)).toEqual([])
      expect(existsSync(workspace(at, 'other.txt'))).toBe(false)
      const undone = weave(at, 'rollback', '--undo', '-y')
      expect(undone, said(undone)).toMatchObject({ status: 0 })
      expect(readFileSync(join(point, 'f.txt'), 'utf8')).toBe('on the mount')
      expect(readFileSync(workspace(at, 'other.txt'), 'utf8')).toBe('y\n')
    },
    120_000,
  )

  verifies(
    ['attack/mount-point'],
    'in which nothing can be changed leaves everything as it was, and the message names the file and its cure',
    async () => {
      const at = await place([
        codon('a'),
        codon('b', { rigSetup: [command('mkdir -p deep/point && echo y > other.txt')] }),
      ])
      expectDone(weave(at))
      const point = workspace(at, 'deep/point')
      mountAt(point)
      expect(spawnSync('mount', ['-o', 'remount,ro', point]).status).toBe(0)
      const back = weave(at, 'rollback', 'a', '-y')
      expect(back.status).not.toBe(0)
      expect(said(back)).toContain('deep/point/f.txt cannot be removed: read-only file system (EROFS)')
      expect(said(back)).toContain('The workspace is as it was before.')
      expect(said(back)).not.toMatch(/\/proc\/self|[Ff]ree space/)
      expect(readFileSync(workspace(at, 'other.txt'), 'utf8')).toBe('y\n')
      expect(existsSync(join(executionOf(at), '.weave/rollback.json'))).toBe(false)
    },
    120_000,
  )
})

/** With a file in it. */
function mountAt(point: string): void {
  expect(spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', point]).status).toBe(0)
  onTestFinished(() => void spawnSync('umount', ['-l', point]))
  writeFileSync(join(point, 'f.txt'), 'on the mount')
}

interface Place {
  readonly cwd: string
  readonly user: 'root' | 'somebody'
}

async function place(hank: readonly object[], user: Place['user'] = 'root'): Promise<Place> {
  const cwd = await tempDir()
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  mkdirSync(join(cwd, 'home'))
  if (user === 'somebody')
    for (const path of [cwd, join(cwd, 'home'), join(cwd, 'hank.json')]) chownSync(path, somebody, somebody)
  return { cwd, user }
}

function asSomebody(): readonly string[] {
  return ['--reuid', String(somebody), '--regid', String(somebody), '--clear-groups']
}

function weave({ cwd, user }: Place, ...words: readonly string[]): CliResult {
  const node = [process.execPath, program, ...(words.length === 0 ? ['--headless', '-y'] : words)]
  const command = user === 'somebody' ? ['setpriv', ...asSomebody(), ...node] : node
  const { status, stdout, stderr } = spawnSync(command[0] ?? '', command.slice(1), {
    cwd,
    env: { PATH: process.env['PATH'], HOME: join(cwd, 'home') },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function expectDone(result: CliResult): void {
  expect(result, said(result)).toMatchObject({ status: 0 })
}

function executionOf({ cwd }: Place): string {
  const base = join(cwd, 'home/.weave-executions')
  return join(base, readdirSync(base)[0] ?? '')
}

const workspace = (at: Place, path: string) => join(executionOf(at), 'agentRoot', path)
const fileMode = (at: Place, path: string) => statSync(workspace(at, path)).mode & 0o777
const tried = (at: Place) =>
  readFileSync(join(executionOf(at), 'tries'), 'utf8')
    .trim()
    .split('\n').length
const said = ({ stdout, stderr }: CliResult) => `${stdout}\n${stderr}`
