import { parseJsonSource, shapeProblems } from '../kit/index.ts'
import { layerOf } from './layer.ts'
import type { LayerResult } from './read-value.ts'
import { runtimeFile } from './schema.ts'
import { unknownSetting } from './unknown-setting.ts'

/** Checks the text of a runtime file. `file` is its name in messages. */
export function parseRuntimeFile(text: string | Uint8Array, file: string): LayerResult {
  const source = parseJsonSource(text, { file })
  if (!source.ok) return { layer: {}, problems: source.problems }
  const checked = runtimeFile.safeParse(source.value)
  if (checked.success) return { layer: layerOf(checked.data, 'weave.json'), problems: source.warnings }
  const problems = shapeProblems(checked.error, source, { schema: runtimeFile, unknownKey: unknownSetting })
  return { layer: {}, problems: [...source.warnings, ...problems] }
}
