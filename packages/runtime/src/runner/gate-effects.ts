import type { EventData } from '@weave/protocol'
import type { Failure } from './effects.ts'

type GateFile = NonNullable<EventData<'gate.waiting'>['files']>[number]

/** What asking a person needs of the files; `execution` hands it in. None of these rejects. */
export interface GateEffects {
  /** Whose program this is; absent: not known. */
  readonly user?: string | undefined
  /** The files that patterns select and that differ between two versions. */
  shown(request: ShownRequest): Promise<readonly GateFile[]>
  /** Files on the disk that are not those of a version. */
  changedSince(sha: string): Promise<readonly GateFile[]>
  /** Keeps the workspace as it is now. */
  keep(): Promise<{ readonly ok: true; readonly sha: string } | Failure>
  /** Appends to a file of the workspace, unless the heading is there already. */
  appendNote(
    path: string,
    note: { readonly heading: string; readonly text: string },
  ): Promise<{ readonly ok: true } | Failure>
}

export interface ShownRequest {
  readonly from: string
  readonly to: string
  readonly patterns: readonly string[]
}
