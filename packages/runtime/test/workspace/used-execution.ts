import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionLayout } from '../../src/workspace/index.ts'
import { type OpenScene, openScene } from './open-scene.ts'

export interface UsedScene extends OpenScene {
  readonly layout: ExecutionLayout
  /** `-e <dir> --start-new`. */
  readonly anew: { readonly execution: string; readonly startNew: true }
}

/** An execution with work in it, an archive, and a link out of the workspace. */
export async function usedExecution(): Promise<UsedScene> {
  const scene = await openScene()
  const execution = join(scene.home, 'mine')
  const { layout } = await scene.open({ execution })
  await mkdir(join(layout.agentRoot, 'src'))
  await writeFile(join(layout.agentRoot, 'src', 'work.ts'), 'work')
  await symlink(scene.home, join(layout.agentRoot, 'out'))
  await mkdir(join(layout.rigArchive, 'draft'), { recursive: true })
  await writeFile(join(layout.rigArchive, 'draft', 'old.md'), 'archived')
  await writeFile(layout.stateFile, 'state')
  return { ...scene, layout, anew: { execution, startNew: true } }
}
