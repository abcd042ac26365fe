import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Engine } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'
import { applyParcels } from '../parcel/index.ts'
import type { Store } from '../store/index.ts'
import { eachOf, type Head, type NamedTree, type StoredTree, unpackTree } from '../turn/index.ts'
import { unknown } from './status.ts'

interface Row {
  readonly head: Head | null
  readonly data: StoredTree | NamedTree | null
  readonly hank: StoredTree
}

/** Hank and data of an execution that was pulled lie in it, where nothing of the fleet is packed. */
const hankFolder = 'fleet-hank'
const dataFolder = 'fleet-data'

/**
 * The execution as it was published last, in a new folder, to look at, compare and fork. What is done to it there is
 * never published back.
 */
export async function pull(
  { engine, store }: { readonly engine: Engine; readonly store: Store },
  { execution, dir }: { readonly execution: string; readonly dir: string },
): Promise<{ readonly seq: number }> {
  const [row] = await engine.database.query<Row>(
    `select e.head, e.data, b.hank from fleet.execution e join fleet.batch b on b.id = e.batch where e.id = $1`,
    [execution],
  )
  if (!row) throw unknown('execution', execution)
  const { head } = row
  if (!head)
    throw new FleetFault('FLEET_UNKNOWN', {
      message: `Nothing of ${execution} was published yet.`,
      cure: 'Wait for the end of its first codon: weave fleet watch.',
    })
  if (existsSync(dir))
    throw new FleetFault('FLEET_DATA', { message: `${dir} is there already.`, cure: 'Name another folder.' })
  mkdirSync(dirname(dir), { recursive: true })
  const draft = mkdtempSync(join(dirname(dir), '.pulled-'))
  try {
    await applyParcels(draft, { executionId: execution, parcels: eachOf(head, store) })
    await bringTrees(draft, row, store)
    settlePaths(draft, dir, row)
    renameSync(draft, dir)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return { seq: head.seq }
}

async function bringTrees(draft: string, { hank, data }: Row, store: Store): Promise<void> {
  for (const [name, tree] of [
    [hankFolder, hank],
    [dataFolder, data],
  ] as const) {
    // Data that stays at its path is there, or nowhere.
    if (!tree || 'path' in tree) continue
    const folder = join(draft, '.weave', name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await unpackTree(folder, tree, store)
  }
}

/** The record of the execution names hank and data where the workers have them. */
function settlePaths(draft: string, dir: string, { data }: Row): void {
  const file = join(draft, '.weave', 'execution.json')
  const record = JSON.parse(readFileSync(file, 'utf8')) as { hankPath: string; dataPath?: string }
  const inside = join(dir, '.weave')
  const moved = {
    ...record,
    hankPath: join(inside, hankFolder, basename(record.hankPath)),
    ...(data && {
      dataPath:
        'path' in data
          ? data.path
          : data.file === undefined
            ? join(inside, dataFolder)
            : join(inside, dataFolder, data.file),
    }),
  }
  writeFileSync(file, `${JSON.stringify(moved, null, 2)}\n`, { mode: 0o600 })
}
