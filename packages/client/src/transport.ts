/** One connection as the client sees it: text frames both ways and one end. */
export interface Transport {
  /** Hands one frame over. Must not throw; after the end it does nothing. */
  readonly send: (text: string) => void
  /** Sets the one reader of frames. Frames that came before are handed to it at once, in order. */
  readonly onMessage: (read: (text: string) => void) => void
  /** Sets the one who is told of the end, exactly once; an end that came before is told at once. */
  readonly onClose: (told: (code: number, reason: string) => void) => void
  /** Ends the connection from this side. Must not throw; calling it again does nothing. */
  readonly close: (code?: number, reason?: string) => void
}

export type Connected =
  | { readonly ok: true; readonly transport: Transport }
  | { readonly ok: false; readonly reason: string }

/** Opens a new connection; called again for every attempt. A rejection counts as `ok: false`. */
export type Connect = () => Promise<Connected>
