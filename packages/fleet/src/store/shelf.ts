/** What a kind of store does; names and checks are not its business. */
export interface Shelf {
  readonly url: string
  write(sha: string, bytes: Buffer): Promise<void>
  read(sha: string): Promise<Buffer | undefined>
}
