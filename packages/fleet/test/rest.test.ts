import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createSelection } from '@weave/runtime'
import { describe, expect, onTestFinished } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../test/support/fixture-program.ts'
import { canBeOthers, serverUser, startAs } from '../../../test/support/other-user.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { applyParcels, makeParcel, openParcel, type RestRules } from '../src/parcel/index.ts'

const executionId = 'b.1'

/** An execution whose workspace has files in checkpoints (`src`) and others. */
async function execution(files: Readonly<Record<string, string | number>>): Promise<string> {
  const root = await tempDir({ inMemory: true })
  write(root, { 'src/a.ts': 'selected', ...files })
  return root
}

/** Text, or so many bytes. */
function write(root: string, files: Readonly<Record<string, string | number>>): void {
  for (const [path, content] of Object.entries(files)) {
    const whole = join(root, 'agentRoot', path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, typeof content === 'number' ? Buffer.alloc(content, 120) : content)
  }
}

function rules(limits: Partial<RestRules['limits']> = {}, more: Partial<RestRules> = {}): RestRules {
  const created = createSelection([['src/**', 'lib/**/*.ts']])
  if (!created.ok) throw new Error(created.message)
  return { selection: created.selection, limits: { bytes: 1_000_000, files: 1_000, ...limits }, ...more }
}

type Since = Parameters<typeof makeParcel>[0]['since']

async function packed(root: string, seq: number, rest: RestRules, since?: Since) {
  const parcel = await makeParcel({ root, executionId, epoch: 1, seq, since, rest })
  const { manifest } = await openParcel(parcel.bytes)
  const inside = manifest.parts.filter(({ type }) => type !== 'directory')
  return {
    ...parcel,
    gone: manifest.gone,
    selected: inside.filter(part => !part.rest).map(({ path }) => path),
    rest: inside.filter(part => part.rest).map(({ path }) => path.replace('agentRoot/', '')),
    next: { seq, files: parcel.files },
  }
}

async function unpacked(parcels: readonly Buffer[]): Promise<string> {
  const copy = join(await tempDir({ inMemory: true }), 'copy')
  mkdirSync(copy)
  await applyParcels(copy, { executionId, parcels })
  return join(copy, 'agentRoot')
}

describe('the rest of a workspace', () => {
  verifies(['fleet/rest'], 'is told from what is in checkpoints, and only changes move', async () => {
    const root = await execution({
      'src/.git/HEAD': 'a repository in a folder that is selected',
      'lib/a.ts': 'selected by its name',
      'lib/a.js': 'built',
      'node_modules/p/index.js': 'p',
    })
    const first = await packed(root, 1, rules())
    expect(first.selected).toEqual(['agentRoot/lib/a.ts', 'agentRoot/src/a.ts'])
    expect(first.rest).toEqual(['lib/a.js', 'node_modules/p/index.js', 'src/.git/HEAD'])
    expect(first).toMatchObject({ left: [], isPartial: false })
    write(root, { 'src/.git/HEAD': 'changed' })
    rmSync(join(root, 'agentRoot/node_modules/p/index.js'))
    const second = await packed(root, 2, rules(), first.next)
    expect(second).toMatchObject({
      selected: [],
      rest: ['src/.git/HEAD'],
      gone: ['agentRoot/node_modules/p/index.js'],
    })
    const there = await unpacked([first.bytes, second.bytes])
    expect(readFileSync(join(there, 'src/.git/HEAD'), 'utf8')).toBe('changed')
    expect(existsSync(join(there, 'node_modules/p/index.js'))).toBe(false)
    expect(readFileSync(join(there, 'lib/a.js'), 'utf8')).toBe('built')
  })

  verifies(
    ['fleet/rest'],
    'stays behind by whole folders, the largest first, until it fits; what is in checkpoints moves however large',
    async () => {
      const root = await execution({
        'src/large': 50_000,
        'cache/one': 4_000,
        'cache/two': 4_000,
        'small/file': 500,
        top: 900,
      })
      const first = await packed(root, 1, rules({ bytes: 2_000 }))
      expect(first.left).toEqual([{ path: 'cache', bytes: 8_000 }])
      expect(first.isPartial).toBe(true)
      expect(first.rest).toEqual(['small/file', 'top'])
      expect(first.selected).toContain('agentRoot/src/large')
      // What grew too large since is not left there half: it is gone.
      write(root, { 'small/more': 1_800 })
      const second = await packed(root, 2, rules({ bytes: 2_000 }), first.next)
      expect(second.left.map(({ path }) => path)).toEqual(['cache', 'small'])
      const there = await unpacked([first.bytes, second.bytes])
      expect(existsSync(join(there, 'small'))).toBe(false)
      expect(statSync(join(there, 'top')).size).toBe(900)
      // And when it fits again, it moves again.
      rmSync(join(root, 'agentRoot/cache'), { recursive: true })
      rmSync(join(root, 'agentRoot/small/more'))
      const third = await packed(root, 3, rules({ bytes: 2_000 }), second.next)
      expect(third).toMatchObject({ left: [], isPartial: false, rest: ['small/file'] })
    },
  )

  verifies(['fleet/rest'], 'stays behind when it has too many files, and where it is excluded', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`many/${at}`, 'x']))
    const root = await execution({ ...many, 'few/one': 2_000, 'node_modules/p/index.js': 'p' })
    const excludes = (path: string): boolean => path === 'node_modules'
    const parcel = await packed(root, 1, rules({ files: 10 }, { excludes }))
    expect(parcel).toMatchObject({ rest: ['few/one'], left: [{ path: 'many', bytes: 30 }], isPartial: true })
    const fitting = await packed(root, 1, rules({}, { excludes }))
    // Nobody is warned of what was meant.
    expect(fitting).toMatchObject({ left: [], isPartial: true })
    expect(fitting.rest).not.toContain('node_modules/p/index.js')
  })

  verifies(
    ['fleet/rest-kinds'],
    'moves with links, hard links, holes and times; sockets and pipes do not move',
    async () => {
      const root = await execution({ 'out/one': 'same', 'out/tool': '#!/bin/sh\n' })
      const inside = join(root, 'agentRoot/out')
      linkSync(join(inside, 'one'), join(inside, 'two'))
      symlinkSync('one', join(inside, 'soft'))
      symlinkSync('/nowhere', join(inside, 'broken'))
      const long = 8 * 1024 ** 2
      const file = openSync(join(inside, 'sparse'), 'w')
      ftruncateSync(file, long)
      writeSync(file, 'end', long - 3)
      closeSync(file)
      utimesSync(join(inside, 'one'), 1_000_000, 1_000_000.25)
      expect(spawnSync('mkfifo', [join(inside, 'pipe')]).status).toBe(0)
      const server = createServer().listen(join(inside, 's'))
      onTestFinished(() => void server.close())
      const parcel = await packed(root, 1, rules({ bytes: 2 * long }))
      expect(parcel.left).toEqual([])
      expect(parcel.bytes.length).toBeLessThan(100_000)
      const there = join(await unpacked([parcel.bytes]), 'out')
      expect(readlinkSync(join(there, 'soft'))).toBe('one')
      expect(readlinkSync(join(there, 'broken'))).toBe('/nowhere')
      expect(readFileSync(join(there, 'two'), 'utf8')).toBe('same')
      expect(lstatSync(join(there, 'one')).nlink).toBe(1)
      expect(statSync(join(there, 'one')).mtimeMs).toBe(1_000_000_250)
      expect(existsSync(join(there, 'pipe'))).toBe(false)
      expect(existsSync(join(there, 's'))).toBe(false)
      const sparse = statSync(join(there, 'sparse'))
      expect(sparse.size).toBe(long)
      expect(sparse.blocks * 512).toBeLessThan(long / 8)
      expect(readFileSync(join(there, 'sparse')).subarray(-4).toString('latin1')).toBe('\0end')
    },
  )

  verifies(
    ['fleet/rest-kinds'],
    'changed without another time or size is seen, when it changed shortly before',
    async () => {
      const root = await execution({ 'out/one': 'before' })
      const path = join(root, 'agentRoot/out/one')
      const first = await packed(root, 1, rules())
      // As if the clock of the file system had stood still in between.
      const seen = first.files.get('agentRoot/out/one')
      writeFileSync(path, 'behind')
      const { ino, mtimeMs, ctimeMs } = lstatSync(path)
      const files = new Map(first.files).set('agentRoot/out/one', { size: 6, ...seen, ino, mtimeMs, ctimeMs })
      const second = await packed(root, 2, rules(), { seq: 1, files })
      expect(second.rest).toEqual(['out/one'])
      const third = await packed(root, 3, rules(), second.next)
      expect(third.rest).toEqual([])
    },
  )
})

describe.skipIf(!canBeOthers)('files without permissions (needs the right to be another user)', () => {
  verifies(['fleet/rest-kinds'], 'stay behind and are named', async () => {
    const root = await execution({ 'open/one': 'one', 'open/shut': 'x'.repeat(9), 'closed/two': 'two' })
    const inside = join(root, 'agentRoot')
    const program = await fixtureProgram(new URL('./fixtures/pack-execution.ts', import.meta.url))
    chmodSync(dirname(program), 0o755)
    for (const words of [
      ['chown', '-R', String(serverUser), root],
      ['chmod', '000', join(inside, 'open/shut'), join(inside, 'closed')],
    ])
      expect(spawnSync(words[0] ?? '', words.slice(1)).status).toBe(0)
    const packing = startAs(serverUser, [process.execPath, program, root])
    expect(JSON.parse(await text(packing.stdout))).toEqual({
      left: [
        { path: 'closed', bytes: 0 },
        { path: 'open/shut', bytes: 9 },
      ],
      moved: expect.not.arrayContaining(['agentRoot/open/shut', 'agentRoot/closed/two']),
    })
  })
})
