/** One look at the server. */
export interface Look {
  readonly seconds: number
  /** In KiB. */
  readonly rss: number
  readonly files: number
  readonly processes: number
}

/** Whether something leaks, and the figures in words. */
export function judge(looks: readonly Look[]): { readonly ok: boolean; readonly words: readonly string[] }
