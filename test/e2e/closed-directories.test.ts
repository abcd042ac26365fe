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
import { codon, command, type HankFolder, hankFolder } from '../support/hank-folder.ts'
import { type CliResult, root, scriptedWeave } from '../support/weave-command.ts'

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

const all = { checkpointedFiles: ['**'] }

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
              ...all,
              rigSetup: [command('mkdir -p arc/d && echo x > arc/d/g && chmod 555 arc/d')],
              archiveOnSuccess: ['arc/**'],
            }),
            codon('b', {
              ...all,
              rigSetup: [command(tries)],
              onFailure: 'retry',
              retryConfig: { maxAttempts: 3, delayMs: 1 },
            }),
            codon('c', { ...all, rigSetup: [command(closed)] }),
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
        expect(existsSync(at.workspace('mod'))).toBe(false)
        const undone = weave(at, 'rollback', '--undo', '-y')
        expect(undone, said(undone)).toMatchObject({ status: 0 })
        expect(readFileSync(at.workspace('mod/pkg/f.go'), 'utf8')).toBe('x\n')
        expect(readFileSync(at.execution('rigArchive/a/arc/d/g'), 'utf8')).toBe('x\n')
        expect(existsSync(at.workspace('arc'))).toBe(false)
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
        codon('a', all),
        codon('b', { ...all, rigSetup: [command('mkdir -p deep/point && echo y > other.txt')] }),
      ])
      expectDone(weave(at))
      const point = at.workspace('deep/point')
      mountAt(point)
      const back = weave(at, 'rollback', 'a', '-y')
      expect(back, said(back)).toMatchObject({ status: 0 })
      expect(readdirSync(point)).toEqual([])
      expect(existsSync(at.workspace('other.txt'))).toBe(false)
      const undone = weave(at, 'rollback', '--undo', '-y')
      expect(undone, said(undone)).toMatchObject({ status: 0 })
      expect(readFileSync(join(point, 'f.txt'), 'utf8')).toBe('on the mount')
      expect(readFileSync(at.workspace('other.txt'), 'utf8')).toBe('y\n')
    },
    120_000,
  )

  verifies(
    ['attack/mount-point'],
    'in which nothing can be changed leaves everything as it was, and the message names the file and its cure',
    async () => {
      const at = await place([
        codon('a', all),
        codon('b', { ...all, rigSetup: [command('mkdir -p deep/point && echo y > other.txt')] }),
      ])
      expectDone(weave(at))
      const point = at.workspace('deep/point')
      mountAt(point)
      expect(spawnSync('mount', ['-o', 'remount,ro', point]).status).toBe(0)
      const back = weave(at, 'rollback', 'a', '-y')
      expect(back.status).not.toBe(0)
      expect(said(back)).toContain('deep/point/f.txt cannot be removed: read-only file system (EROFS)')
      expect(said(back)).toContain('The workspace is as it was before.')
      expect(said(back)).not.toMatch(/\/proc\/self|[Ff]ree space/)
      expect(readFileSync(at.workspace('other.txt'), 'utf8')).toBe('y\n')
      expect(existsSync(at.execution('.weave/rollback.json'))).toBe(false)
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

interface Place extends HankFolder {
  readonly user: 'root' | 'somebody'
}

async function place(hank: readonly object[], user: Place['user'] = 'root'): Promise<Place> {
  const at = await hankFolder(hank)
  mkdirSync(at.path('home'))
  if (user === 'somebody')
    for (const path of [at.cwd, at.path('home'), at.path('hank.json')]) chownSync(path, somebody, somebody)
  return { ...at, user }
}

function asSomebody(): readonly string[] {
  return ['--reuid', String(somebody), '--regid', String(somebody), '--clear-groups']
}

function weave({ cwd, env, user }: Place, ...words: readonly string[]): CliResult {
  const node = [process.execPath, program, ...(words.length === 0 ? ['--headless', '-y'] : words)]
  const [first = '', ...rest] = user === 'somebody' ? ['setpriv', ...asSomebody(), ...node] : node
  const { status, stdout, stderr } = spawnSync(first, rest, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function expectDone(result: CliResult): void {
  expect(result, said(result)).toMatchObject({ status: 0 })
}

const fileMode = (at: Place, path: string) => statSync(at.workspace(path)).mode & 0o777
const tried = (at: Place) => readFileSync(at.execution('tries'), 'utf8').trim().split('\n').length
const said = ({ stdout, stderr }: CliResult) => `${stdout}\n${stderr}`
