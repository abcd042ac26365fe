import { mkdir, readdir, readlink, rename, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type WalkItem, type WalkOptions, walk, walkPaths } from '../../src/files/index.ts'
import { start } from '../../src/kit/index.ts'
import { fixture, outputWatch } from '../kit/fixture.ts'
import { tempDir } from '../kit/temp-dir.ts'

const wide = { maxEntries: 10_000, maxDepth: 100 }

async function collect(root: string, options: Partial<WalkOptions> = {}): Promise<readonly WalkItem[]> {
  const items: WalkItem[] = []
  for await (const item of walk(root, { ...wide, ...options })) items.push(item)
  return items
}

const pathsOf = (items: readonly WalkItem[]) => items.map(item => item.path)

async function makeTree(root: string): Promise<void> {
  await mkdir(`${root}/b/deep/deeper`, { recursive: true })
  await mkdir(`${root}/a`)
  await writeFile(`${root}/a/2`, '')
  await writeFile(`${root}/a/1`, 'text')
  await writeFile(`${root}/b/deep/x`, '')
  await symlink('../a', `${root}/b/link`)
}

describe('walk', () => {
  it('names everything in order, directories first, and does not follow links', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    const items = await collect(dir.path)
    expect(pathsOf(items)).toEqual(['a', 'a/1', 'a/2', 'b', 'b/deep', 'b/deep/deeper', 'b/deep/x', 'b/link'])
    const statsOf = (path: string) =>
      items.flatMap(item => (item.kind === 'entry' && item.path === path ? [item.stats] : []))
    expect(statsOf('a/1')[0]?.size).toBe(4)
    expect(statsOf('b/link')[0]?.isSymbolicLink()).toBe(true)
  })

  it('gives the paths of all but directories without a look at each', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    const pathsIn = async (skip?: (path: string) => boolean) => {
      const paths: string[] = []
      for await (const path of walkPaths(dir.path, { ...wide, ...(skip && { skip }) })) paths.push(path)
      return paths
    }
    expect(await pathsIn()).toEqual(['a/1', 'a/2', 'b/deep/x', 'b/link'])
    expect(await pathsIn(path => path === 'b/deep' || path === 'a/2')).toEqual(['a/1', 'b/link'])
  })

  it('follows a link that is the root itself', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    expect(pathsOf(await collect(dir.file('b/link')))).toEqual(['1', '2'])
  })

  it('leaves out what is skipped, with all below it', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    const items = await collect(dir.path, { skip: (path, stats) => path === 'a' || stats.isSymbolicLink() })
    expect(pathsOf(items)).toEqual(['b', 'b/deep', 'b/deep/deeper', 'b/deep/x'])
  })

  it('says so when the cap on entries left something out, and looks at no more than that', async () => {
    await using dir = await tempDir()
    for (let file = 0; file < 50; file++) await writeFile(dir.file(`${file}`), '')
    const items = await collect(dir.path, { maxEntries: 20 })
    expect(items.filter(item => item.kind === 'entry')).toHaveLength(20)
    expect(items.at(-1)).toMatchObject({ kind: 'capped', cap: 'entries' })
    expect(await collect(dir.path, { maxEntries: 50 })).toHaveLength(50)
  })

  it('says so when the cap on depth left something out', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    const items = await collect(dir.path, { maxDepth: 2 })
    expect(pathsOf(items)).toEqual(['a', 'a/1', 'a/2', 'b', 'b/deep', 'b/link', 'b/deep'])
    expect(items.at(-1)).toEqual({ kind: 'capped', cap: 'depth', path: 'b/deep' })
  })

  it('says so when something cannot be looked at, and goes on', async () => {
    await using dir = await tempDir()
    await writeFile(Buffer.concat([Buffer.from(dir.file('odd-')), Buffer.from([0xff])]), '')
    await writeFile(dir.file('z'), '')
    const items = await collect(dir.path)
    expect(items[0]).toEqual({ kind: 'unreadable', path: 'odd-\uFFFD', code: 'EILSEQ' })
    expect(items[1]).toMatchObject({ kind: 'entry', path: 'z' })
  })

  it('says so when there is no root', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), '')
    expect(await collect(dir.file('nothing'))).toEqual([{ kind: 'unreadable', path: '', code: 'ENOENT' }])
    expect(await collect(dir.file('file'))).toEqual([{ kind: 'unreadable', path: '', code: 'ENOTDIR' }])
  })

  it('takes it calmly when things disappear or change while it walks', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    const paths: string[] = []
    for await (const item of walk(dir.path, wide)) {
      paths.push(item.path)
      if (item.path !== 'b') continue
      await rename(dir.file('b'), dir.file('elsewhere'))
      await symlink('/etc', dir.file('b'))
    }
    expect(paths).toEqual(['a', 'a/1', 'a/2', 'b'])
  })

  it('stays in the directory it entered when a link takes the place of one above it', async () => {
    await using dir = await tempDir()
    await makeTree(dir.file('root'))
    await mkdir(dir.file('trap/deep/secret'), { recursive: true })
    const paths: string[] = []
    for await (const item of walk(dir.file('root'), wide)) {
      paths.push(item.path)
      if (item.path !== 'b/deep') continue
      await rename(dir.file('root/b'), dir.file('elsewhere'))
      await symlink(dir.file('trap'), dir.file('root/b'))
    }
    expect(paths).toEqual(['a', 'a/1', 'a/2', 'b', 'b/deep', 'b/deep/deeper', 'b/deep/x', 'b/link'])
  })

  it('rejects with the reason when aborted, and closes what it had open', async () => {
    await using dir = await tempDir()
    await makeTree(dir.path)
    const controller = new AbortController()
    const walking = async () => {
      for await (const item of walk(dir.path, { ...wide, signal: controller.signal })) {
        if (item.path === 'b/deep') controller.abort('enough')
      }
    }
    await expect(walking()).rejects.toBe('enough')
    for await (const item of walk(dir.path, wide)) if (item.path === 'b/deep') break
    expect(await openInside(dir.path)).toEqual([])
  })

  it('lets other work run meanwhile', async () => {
    await using dir = await tempDir()
    for (let file = 0; file < 600; file++) await writeFile(dir.file(`${file}`), '')
    let turns = 0
    const count = () => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await collect(dir.path)
    clearImmediate(next)
    expect(turns).toBeGreaterThanOrEqual(2)
  })

  it('never follows a link that takes the place of a directory meanwhile', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('kept'))
    await writeFile(dir.file('kept/secret'), '')
    await mkdir(dir.file('tree'))
    await symlink(dir.file('kept'), dir.file('trap'))
    const watch = outputWatch()
    const swapper = start(...fixture('swaps-directory', dir.file('tree/name'), dir.file('trap')), {
      env: process.env,
      onOutput: watch.onOutput,
    })
    await watch.until(/ready/)
    const seen = new Set<string>()
    for (let turn = 0; turn < 300 || !seen.has('name'); turn++) {
      for (const item of await collect(dir.file('tree'))) seen.add(item.path)
    }
    swapper.kill('enough')
    await swapper.done
    expect([...seen].filter(path => path.includes('secret'))).toEqual([])
  })
})

/** Descriptors of this process that are open on something below `root`. */
async function openInside(root: string): Promise<readonly string[]> {
  const links = (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).filter(target => target.startsWith(root))
}
