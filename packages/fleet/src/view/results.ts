import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Engine } from '../engine/index.ts'
import { applyParcels } from '../parcel/index.ts'
import type { Store } from '../store/index.ts'
import type { Head } from '../turn/index.ts'
import { unknown } from './status.ts'

interface Row {
  readonly id: string
  readonly n: number
  readonly name: string
  readonly head: Head
}

/** Copies the outputs of every execution of a batch that succeeded to `<folder>/<n>-<name>`. Answers with those folders. */
export async function results(
  { engine, store }: { readonly engine: Engine; readonly store: Store },
  { batch, folder }: { readonly batch: string; readonly folder: string },
): Promise<readonly string[]> {
  const rows = await engine.database.query<Row>(
    "select id, n, name, head from fleet.execution where batch = $1 and state = 'succeeded' and head is not null order by n",
    [batch],
  )
  const [there] = await engine.database.query<{ id: string }>('select id from fleet.batch where id = $1', [
    batch,
  ])
  if (!there) throw unknown('batch', batch)
  mkdirSync(folder, { recursive: true })
  const made: string[] = []
  for (const { id, n, name, head } of rows) {
    const draft = mkdtempSync(join(resolve(folder), '.unpacked-'))
    try {
      const parcels = await Promise.all(head.parts.map(sha => store.get(sha)))
      await applyParcels(draft, { executionId: id, parcels })
      const outputs = join(draft, 'outputs')
      const place = join(folder, `${n}-${name.replace(/[^\w.-]+/g, '-')}`)
      if (existsSync(outputs)) cpSync(outputs, place, { recursive: true, verbatimSymlinks: true })
      else mkdirSync(place, { recursive: true })
      made.push(place)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  return made
}
