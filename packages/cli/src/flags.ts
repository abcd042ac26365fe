/**
 * TABLE of all flags. Parsing and help are made from it; a command lists the names it takes. A flag that does nothing
 * yet is not here.
 */
export interface Flag {
  readonly kind: 'switch' | 'text'
  readonly short?: string
  /** What stands for the value in help: `--execution <dir>`. */
  readonly value?: string
  readonly summary: string
  /** Not shown in help. */
  readonly hidden?: true
}

export const flags = {
  version: { kind: 'switch', summary: 'print the version' },
  help: { kind: 'switch', short: 'h', summary: 'print help' },
  execution: { kind: 'text', short: 'e', value: 'dir', summary: 'use exactly this execution directory' },
  json: { kind: 'switch', summary: 'print each event as a JSON line' },
  scripted: { kind: 'switch', summary: 'let a scripted agent do the work', hidden: true },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flags
