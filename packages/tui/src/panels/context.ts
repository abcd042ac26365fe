import type { FileVersions, OutlineLine, View } from 'weave-client'
import type { Signs } from '../terminal/theme.ts'

/** What a panel is drawn from. */
export interface PanelContext {
  readonly view: View
  /** `outlineOf(view)`: asked for once, used by several. */
  readonly outline: readonly OutlineLine[]
  readonly versions: FileVersions
  readonly width: number
  /** Costs and tokens are shown. */
  readonly costs: boolean
  readonly now: number
  readonly signs: Signs
}
