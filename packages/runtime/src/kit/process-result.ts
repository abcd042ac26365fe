/** What became of a process. One shape for every ending, so that a caller has one thing to look at. */
export interface ProcessResult {
  readonly outcome: 'exited' | 'signaled' | 'failed-to-start'
  /** The exit code, for `exited` only. */
  readonly code: number | null
  /** The signal that ended it, for `signaled` only. */
  readonly signal: string | null
  /** Present when it was told to stop before it ended, however it then ended. The first reason wins. */
  readonly stopped?: { readonly reason: unknown }
  /** For `failed-to-start` only. */
  readonly error?: { readonly code?: string; readonly message: string }
  /** The beginning and the end of what was written when it was more than the cap: see `truncated`. */
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly durationMs: number
}
