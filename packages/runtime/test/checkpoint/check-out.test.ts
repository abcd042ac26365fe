import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { cloneStore, readVersions } from '../../src/checkpoint/index.ts'
import { systemClock } from '../../src/kit/index.ts'

interface Entry {
  readonly name: string
  readonly mode?: string
  readonly oid: string
}

/** A store without a version, made as a fork makes one, and git to put what we like into it. */
async function store() {
  const dir = await tempDir()
  const [from, gitDir, target] = ['from', 'store', 'files'].map(name => join(dir, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [join(from, 'objects'), target]) mkdirSync(path, { recursive: true })
  await cloneStore({ gitDir, from, refs: new Map() })
  const put = (type: string, content: Buffer | string): string => {
    const words = ['hash-object', '-t', type, '-w', '--literally', '--stdin']
    const { status, stdout, stderr } = spawnSync('git', words, {
      input: content,
      env: { PATH: process.env['PATH'], GIT_DIR: gitDir },
    })
    expect(status, String(stderr)).toBe(0)
    return stdout.toString().trim()
  }
  const tree = (...entries: readonly Entry[]): string =>
    put(
      'tree',
      Buffer.concat(
        entries.flatMap(({ name, mode = '100644', oid }) => [
          Buffer.from(`${mode} ${name}\0`),
          Buffer.from(oid, 'hex'),
        ]),
      ),
    )
  const checkOut = (sha: string) =>
    readVersions({ gitDir, environment: process.env, clock: systemClock }).checkOut(sha, target)
  return { dir, target, blob: (text: string) => put('blob', text), tree, checkOut }
}

describe('the files of a version in a directory of their own', () => {
  verifies(['fork/tree'], 'are what they were, with their modes, links as links, by git', async () => {
    const { target, blob, tree, checkOut } = await store()
    const oid = blob('text\r\n')
    const folder = tree({ name: 'run.sh', mode: '100755', oid })
    const sha = tree(
      { name: '.gitignore', oid: blob('*\n') },
      { name: 'a.txt', oid },
      { name: 'link', mode: '120000', oid: blob('../outside') },
      { name: 'src', mode: '40000', oid: folder },
    )
    expect(await checkOut(sha)).toMatchObject({ ok: true })
    expect(readFileSync(join(target, 'a.txt'), 'utf8')).toBe('text\r\n')
    expect(readFileSync(join(target, '.gitignore'), 'utf8')).toBe('*\n')
    expect(lstatSync(join(target, 'src/run.sh')).mode & 0o100).toBe(0o100)
    expect(readlinkSync(join(target, 'link'))).toBe('../outside')
    expect(readdirSync(target).sort()).toEqual(['.gitignore', 'a.txt', 'link', 'src'])
  })

  verifies(
    ['fork/tree'],
    'have the names they had, also such that git would take for something else',
    async () => {
      const { target, blob, tree, checkOut } = await store()
      const oid = blob('x')
      const names = ['.gitattributes', 'a\\b', 'c:d', 'ends.', 'git~1', 'new\nline', 'ÄÖ']
      expect(await checkOut(tree(...names.map(name => ({ name, oid }))))).toMatchObject({ ok: true })
      expect(readdirSync(target).sort()).toEqual(names.toSorted())
    },
  )

  verifies(['fork/tree'], 'are none when one of them would lie elsewhere', async () => {
    for (const name of ['..', '.', '.git', 'a/../../b', '/b', '']) {
      const { dir, target, blob, tree, checkOut } = await store()
      const inner = tree({ name: 'b', oid: blob('planted') })
      const isFolder = !name.includes('b')
      const sha = tree(isFolder ? { name, mode: '40000', oid: inner } : { name, oid: blob('planted') })
      expect((await checkOut(sha)).ok, name).toBe(false)
      expect(readdirSync(target)).toEqual([])
      expect(readdirSync(dir).sort()).toEqual(['files', 'from', 'store'])
    }
  })

  verifies(['fork/tree'], 'cannot be had of a version that is not there', async () => {
    const { checkOut } = await store()
    for (const sha of ['0'.repeat(40), 'main', '--help'])
      expect(await checkOut(sha)).toMatchObject({ ok: false })
  })
})
