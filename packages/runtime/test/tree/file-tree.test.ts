import { events, type FileNode } from '@weave/protocol'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createEmittedFiles } from '../../src/tree/emitted-files.ts'
import { buildFileTree } from '../../src/tree/file-tree.ts'
import { anyKey } from './watch-fixture.ts'

function filesAt(mtimeMs: number, ...paths: readonly string[]) {
  const emitted = createEmittedFiles()
  for (const path of paths) emitted.adopt(path, { ...anyKey, mtimeMs })
  return emitted.root
}

const filesOf = (...paths: readonly string[]) => filesAt(0, ...paths)

function pathsOf(tree: readonly FileNode[]): readonly string[] {
  return tree.flatMap(({ path, isDirectory, children }) => [
    isDirectory ? `${path}/` : path,
    ...pathsOf(children),
  ])
}

describe('buildFileTree', () => {
  verifies(
    ['2.13/file-node', '2.13/file-node-children', '2.13/file-node-last-modified'],
    'nests files in the directories that lead to them',
    () => {
      const tree = buildFileTree(filesAt(1_500.75, 'src/deep/a.ts'))
      expect(tree).toEqual([
        {
          name: 'src',
          path: 'src',
          isDirectory: true,
          children: [
            {
              name: 'deep',
              path: 'src/deep',
              isDirectory: true,
              children: [
                {
                  name: 'a.ts',
                  path: 'src/deep/a.ts',
                  isDirectory: false,
                  children: [],
                  lastModified: '1970-01-01T00:00:01.500Z',
                },
              ],
            },
          ],
        },
      ])
      expect(events['filetree.updated'].data.safeParse({ tree }).success).toBe(true)
    },
  )

  it('puts directories first, then files, each in code-unit order, whatever the order in which they came', () => {
    const tree = buildFileTree(filesOf('b', 'a.txt', 'z/1', 'Z/2', 'é', 'z/0', 'a/x/y', 'a/x.y', 'B'))
    expect(pathsOf(tree)).toEqual([
      'Z/',
      'Z/2',
      'a/',
      'a/x/',
      'a/x/y',
      'a/x.y',
      'z/',
      'z/0',
      'z/1',
      'B',
      'a.txt',
      'b',
      'é',
    ])
  })

  it('is empty without files', () => {
    expect(buildFileTree(filesOf())).toEqual([])
  })

  it('knows no directory whose last file is gone', () => {
    const emitted = createEmittedFiles()
    for (const path of ['a/b/c', 'd']) emitted.adopt(path, anyKey)
    emitted.forget('a/b/c')
    expect(pathsOf(buildFileTree(emitted.root))).toEqual(['d'])
  })

  it('leaves out a time that is none', () => {
    const tree = buildFileTree(filesAt(1e300, 'a'))
    expect(tree).toEqual([{ name: 'a', path: 'a', isDirectory: false, children: [] }])
  })

  it('is whole when it just fits', () => {
    expect(pathsOf(buildFileTree(filesOf('a/1', 'a/2', 'b'), 4))).toEqual(['a/', 'a/1', 'a/2', 'b'])
  })

  it('keeps the upper levels when it must leave something out', () => {
    const files = filesOf('a/1', 'a/deep/2', 'b/3', 'c')
    const left = (limit: number) => pathsOf(buildFileTree(files, limit))
    expect(left(6)).toEqual(['a/', 'a/deep/', 'a/1', 'b/', 'c', '… 2 more'])
    expect(left(4)).toEqual(['a/', 'b/', 'c', '… 4 more'])
    expect(left(2)).toEqual(['a/', '… 6 more'])
    expect(left(1)).toEqual(['… 7 more'])
  })

  verifies(
    ['d5/file-tree-limit', 'd5/file-tree-rest'],
    'holds at most 5,000 nodes, the last of which says how many are left out',
    () => {
      const paths = Array.from({ length: 30_000 }, (_, file) => `d${file % 300}/e${file % 7}/f${file}`)
      const tree = buildFileTree(filesOf(...paths))
      expect(pathsOf(tree)).toHaveLength(5_000)
      const total = 30_000 + 300 + 2_100
      expect(tree.at(-1)).toEqual({
        name: '…',
        path: `… ${total - 4999} more`,
        isDirectory: false,
        children: [],
      })
      const exact = buildFileTree(filesOf(...paths.slice(0, 4_000).map((_, file) => `${file}`)))
      expect(exact).toHaveLength(4_000)
    },
  )
})
