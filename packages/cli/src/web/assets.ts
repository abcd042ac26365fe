import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Assets, bareAssets, readAssets } from '@weave/runtime'

/** The page lies beside the built program; from source there is none. */
export function pageAssets(): Promise<Assets> {
  return readAssets(join(dirname(fileURLToPath(import.meta.url)), 'web')).catch(() => bareAssets)
}
