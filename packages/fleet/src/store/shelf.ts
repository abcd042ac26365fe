/** What a kind of store does; names and checks are not its business. */
export interface Shelf {
  readonly url: string
  /** Variables that are its own: agents do not see them. */
  readonly variables: readonly string[]
  /** One that is there already becomes as young as a new one. */
  write(sha: string, bytes: Buffer): Promise<void>
  read(sha: string): Promise<Buffer | undefined>
  /** Names of all that were put so long ago. */
  olderThan(milliseconds: number): Promise<readonly StoredObject[]>
  /** Unless it was put again meanwhile. */
  remove(sha: string, milliseconds: number): Promise<boolean>
}

export interface StoredObject {
  readonly sha: string
  readonly bytes: number
}

/** Why a store does not do it, with a cure of its own. Neither of them holds a key. */
export class ShelfFault extends Error {
  readonly cure: string

  constructor(message: string, cure: string) {
    super(message)
    this.name = 'ShelfFault'
    this.cure = cure
  }
}
