import { gitignore } from './templates/gitignore.ts'
import { guideTemplate } from './templates/guide-template.ts'
import { hankJson } from './templates/hank-json.ts'
import { narratorJson } from './templates/narrator-json.ts'
import { promptDraft } from './templates/prompt-draft.ts'
import { promptHouseStyle } from './templates/prompt-house-style.ts'
import { promptPublish } from './templates/prompt-publish.ts'
import { promptRevise } from './templates/prompt-revise.ts'
import { readme } from './templates/readme.ts'
import { rehearsalJson } from './templates/rehearsal-json.ts'
import { weaveJson } from './templates/weave-json.ts'

/** A file of the new hank. */
export interface NewFile {
  /** Relative to the hank directory, with `/`. */
  readonly path: string
  readonly text: string
}

/** TABLE of what `weave init` writes, in the order in which a newcomer might read it. */
export const hankFiles: readonly NewFile[] = [
  { path: 'README.md', text: readme },
  { path: 'hank.json', text: hankJson },
  { path: 'prompts/house-style.md', text: promptHouseStyle },
  { path: 'prompts/draft.md', text: promptDraft },
  { path: 'prompts/revise.md', text: promptRevise },
  { path: 'prompts/publish.md', text: promptPublish },
  { path: 'rig/guide-template.md', text: guideTemplate },
  { path: 'sentinels/narrator.json', text: narratorJson },
  { path: 'rehearsal.json', text: rehearsalJson },
  { path: 'weave.json', text: weaveJson },
  { path: '.gitignore', text: gitignore },
]
