import { events, type FileNode } from '@weave/protocol'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { buildFileTree } from '../../src/tree/file-tree.ts'

const filesOf = (...paths: readonly string[]) => new Map(paths.map(path => [path, { mtimeMs: 0 }]))

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
    async () => {
      const tree = await buildFileTree(new Map([['src/deep/a.ts', { mtimeMs: 1_500.75 }]]))
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

  it('puts directories first, then files, each in code-unit order, whatever the order of the map', async () => {
    const tree = await buildFileTree(filesOf('b', 'a.txt', 'z/1', 'Z/2', 'é', 'z/0', 'a/x/y', 'a/x.y', 'B'))
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

  it('is empty without files', async () => {
    expect(await buildFileTree(new Map())).toEqual([])
  })

  it('leaves out a time that is none', async () => {
    const tree = await buildFileTree(new Map([['a', { mtimeMs: 1e300 }]]))
    expect(tree).toEqual([{ name: 'a', path: 'a', isDirectory: false, children: [] }])
  })

  it('is whole when it just fits', async () => {
    expect(pathsOf(await buildFileTree(filesOf('a/1', 'a/2', 'b'), 4))).toEqual(['a/', 'a/1', 'a/2', 'b'])
  })

  it('keeps the upper levels when it must leave something out', async () => {
    const files = filesOf('a/1', 'a/deep/2', 'b/3', 'c')
    const left = async (limit: number) => pathsOf(await buildFileTree(files, limit))
    expect(await left(6)).toEqual(['a/', 'a/deep/', 'a/1', 'b/', 'c', '… 2 more'])
    expect(await left(4)).toEqual(['a/', 'b/', 'c', '… 4 more'])
    expect(await left(2)).toEqual(['a/', '… 6 more'])
    expect(await left(1)).toEqual(['… 7 more'])
  })

  verifies(
    ['d5/file-tree-limit', 'd5/file-tree-rest'],
    'holds at most 5,000 nodes, the last of which says how many are left out',
    async () => {
      const paths = Array.from({ length: 30_000 }, (_, file) => `d${file % 300}/e${file % 7}/f${file}`)
      const tree = await buildFileTree(filesOf(...paths))
      expect(pathsOf(tree)).toHaveLength(5_000)
      const total = 30_000 + 300 + 2_100
      expect(tree.at(-1)).toEqual({
        name: '…',
        path: `… ${total - 4999} more`,
        isDirectory: false,
        children: [],
      })
      const exact = await buildFileTree(filesOf(...paths.slice(0, 4_000).map((_, file) => `${file}`)))
      expect(exact).toHaveLength(4_000)
    },
  )
})
