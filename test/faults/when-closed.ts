import type { Socket } from 'node:net'

/** Resolves when a connection is closed, for any reason. */
export function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
  })
}
