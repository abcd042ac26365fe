import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import type { Clock } from '../../src/kit/index.ts'
import { type DataHashOptions, hashData, noDataHash } from '../../src/workspace/index.ts'

const time = new Date('2026-01-02T03:04:05.678Z')
const seconds = 1_767_323_045

async function put(root: string, path: string, content: string): Promise<void> {
  const full = join(root, path)
  await mkdir(join(full, '..'), { recursive: true })
  await writeFile(full, content)
  await utimes(full, time, time)
}

async function someData(): Promise<string> {
  const root = await tempDir()
  await put(root, 'notes.md', 'hello')
  await put(root, 'b/two.txt', '22')
  await put(root, 'a/one.txt', '1')
  return root
}

const lines = [
  'directory:a:0:0',
  'directory:b:0:0',
  `file:a/one.txt:1:${seconds}`,
  `file:b/two.txt:2:${seconds}`,
  `file:notes.md:5:${seconds}`,
]
const digest = (of: readonly string[]): string => createHash('sha256').update(of.join('\n')).digest('hex')

const hash = (path: string, more: Partial<DataHashOptions> = {}) =>
  hashData({ path, timeLimit: 5_000, clock: createTestClock(), ...more })

/** Each look at it costs a millisecond. */
function busyClock(): Clock {
  let now = 0
  return { ...createTestClock(), monotonic: () => now++ }
}

describe('the data hash', () => {
  verifies(['d3/data-hash'], 'is SHA-256 over sorted lines of type, path, size and time', async () => {
    const result = { ok: true, hash: digest(lines), partial: false, warnings: [] }
    expect(await hash(await someData())).toEqual(result)
  })

  it('changes with a size, a time or a name, and with nothing else', async () => {
    const root = await someData()
    const seen = new Set([digest(lines)])
    const isNew = async (): Promise<boolean> => {
      const result = await hash(root)
      const { size } = seen
      return result.ok && seen.add(result.hash).size > size
    }
    await put(root, 'passing.tmp', 'x')
    await rm(join(root, 'passing.tmp'))
    await put(root, 'notes.md', 'HELLO')
    expect(await isNew()).toBe(false)
    await put(root, 'notes.md', 'hello!')
    expect(await isNew()).toBe(true)
    await utimes(join(root, 'notes.md'), time, new Date(time.getTime() + 1_000))
    expect(await isNew()).toBe(true)
    await put(root, 'a/three.txt', '3')
    expect(await isNew()).toBe(true)
  })

  it('of a file is that of its one line', async () => {
    const root = await someData()
    expect(await hash(join(root, 'notes.md'))).toMatchObject({ hash: digest([lines[4] ?? '']) })
  })

  it('looks through a link that is the data itself, and through no other', async () => {
    const root = await someData()
    const elsewhere = await someData()
    const link = join(await tempDir(), 'link')
    await symlink(root, link)
    expect(await hash(link)).toEqual(await hash(root))
    await symlink(elsewhere, join(root, 'out'))
    await symlink(root, join(root, 'round'))
    const before = await hash(root)
    await put(elsewhere, 'notes.md', 'changed behind the link')
    expect(await hash(root)).toEqual(before)
  })

  it('does not wait for a FIFO', async () => {
    const root = await someData()
    spawnSync('mkfifo', [join(root, 'pipe')])
    expect(await hash(root)).toMatchObject({ ok: true, partial: false })
    expect(await hash(join(root, 'pipe'))).toMatchObject({
      ok: false,
      message: expect.stringContaining('neither a file nor a directory'),
    })
  })

  it('leaves out what a run itself changes', async () => {
    const root = await someData()
    await put(root, 'runs/one/state.json', '{}')
    expect(await hash(root, { exclude: [join(root, 'runs'), '/elsewhere', root] })).toMatchObject({
      hash: digest(lines),
    })
  })

  it('of no data is not that of an empty directory', async () => {
    expect(await hash(await tempDir())).not.toMatchObject({ hash: noDataHash })
    expect(noDataHash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('of missing data is a problem that names the path', async () => {
    expect(await hash('/no/such/data')).toEqual({
      ok: false,
      message:
        'The data /no/such/data does not exist. Correct the path, or leave it out to run without data.',
    })
  })
})

describe('when the time is up', () => {
  verifies(
    ['d3/data-hash-limit-boundary', 'd3/data-hash-limit-partial'],
    'no further directory is entered, those entered are listed to their end, and the hash says so',
    async () => {
      const root = await someData()
      for (const name of ['x', 'y', 'z']) await put(root, `a/${name}`, name)
      const inA = ['a/one.txt', 'a/x', 'a/y', 'a/z'].map(path => `file:${path}:1:${seconds}`)
      // The first look is for the deadline, the second before `a`, the third, too late, before `b`.
      const result = await hash(root, { clock: busyClock(), timeLimit: 2 })
      const seen = ['directory:a:0:0', ...inA, `file:notes.md:5:${seconds}`]
      expect(result).toEqual({
        ok: true,
        hash: `partial:${digest(seen)}`,
        partial: true,
        warnings: [
          `Looking through the data ${root} took longer than 2 ms, so 1 directory was left out and changes there go unnoticed. Raise dataHashTimeLimit to look at all of it.`,
        ],
      })
    },
  )

  it('but no directory is left, the hash is whole', async () => {
    const root = await tempDir()
    for (const name of ['x', 'y', 'z']) await put(root, name, name)
    expect(await hash(root, { clock: busyClock(), timeLimit: 1 })).toMatchObject({ partial: false })
  })

  it('a tree with more entries than anyone wants to wait for is partial too', async () => {
    const result = await hash(await someData(), { maxEntries: 3 })
    expect(result).toMatchObject({ partial: true, hash: expect.stringMatching(/^partial:[0-9a-f]{64}$/) })
  })
})
