import type { Server, Socket } from 'node:net'
import type { PeerUserCheck } from './peer-user.ts'

export interface AdmissionOptions {
  /** Connections at a time, over all addresses of the port. */
  readonly most: number
  readonly isOneOfUs: PeerUserCheck
  /** Asked when there are that many: a connection that may go for the next one. */
  readonly spare?: (() => Socket | undefined) | undefined
  readonly onRefused: (because: string) => void
}

/** Which connections of a port are taken, decided when they come and before anything is asked of them. */
export interface Admission {
  /** Calls `take` in a later tick if it may stay. Nobody may read from the socket before. */
  admit(socket: Socket, take: (socket: Socket) => void): void
  /** Cuts every connection, and takes no more. */
  close(): void
}

/**
 * A connection of another user is dropped at once: it holds no descriptor while nothing is asked. Whoever is refused
 * hears a status and no more.
 */
export function createAdmission({ most, isOneOfUs, spare, onRefused }: AdmissionOptions): Admission {
  const open = new Set<Socket>()
  let isClosed = false

  const refuse = (socket: Socket, status: string, because: string): void => {
    onRefused(because)
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    socket.destroySoon()
  }

  const makeRoom = (): boolean => {
    const socket = spare?.()
    socket?.destroy()
    return socket !== undefined && open.delete(socket)
  }

  return {
    admit(socket, take) {
      socket.on('error', () => socket.destroy())
      if (isClosed) {
        socket.destroy()
        return
      }
      if (open.size >= most && !makeRoom()) {
        refuse(socket, '503 Service Unavailable', `there are ${most} connections already`)
        return
      }
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      const decide = (isAllowed: boolean): void => {
        if (socket.destroyed) return
        if (isAllowed) take(socket)
        else refuse(socket, '403 Forbidden', 'it is of another user of this machine, or closed')
      }
      // A check that fails is no yes.
      isOneOfUs(socket).then(decide, () => decide(false))
    },
    close() {
      isClosed = true
      for (const socket of open) socket.destroy()
    },
  }
}

/** Every connection of a server passes the admission; then the server's own listeners, which begin to read it, are called. */
export function admitFirst(server: Server, admission: Admission): void {
  const own = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', socket =>
    admission.admit(socket, () => {
      for (const listener of own) Reflect.apply(listener, server, [socket])
    }),
  )
}
