export interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

export function pack(source: string, target: string): Packed
export function packedProblems(packed: Packed, folder: string): string[]
