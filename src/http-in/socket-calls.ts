import { openLibrary } from './c-library.ts'

/** System calls on a descriptor that the runtime does not offer. */
export interface SocketCalls {
  /** The peer of a connection that came in on this port; undefined for any other descriptor. */
  peerOf(descriptor: number, port: number): Peer | undefined
  /** The local port of a socket; undefined for any other descriptor. */
  portOf(descriptor: number): number | undefined
  /** Ends the connection in both directions. The event loop then closes it as if the peer had closed it. */
  shutDown(descriptor: number): void
}

export interface Peer {
  readonly address: string
  readonly port: number
}

const addressBytes = 128
const internet4 = 2
const internet6 = 10
const bothWays = 2
const mappedStart = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** Undefined where the C library cannot be called. */
export async function openSockets(): Promise<SocketCalls | undefined> {
  const named = { args: ['i32', 'ptr', 'ptr'], returns: 'i32' } as const
  const library = await openLibrary({
    getpeername: named,
    getsockname: named,
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  })
  if (!library) return undefined
  const { ptr } = library
  const { getpeername, getsockname, shutdown } = library.symbols
  const name = new Uint8Array(addressBytes)
  const length = new Uint32Array(1)
  const ask = (call: typeof getpeername, descriptor: number): Peer | undefined => {
    length[0] = addressBytes
    if (call(descriptor, ptr(name), ptr(length)) !== 0) return undefined
    return readName(name)
  }
  const portOf = (descriptor: number) => ask(getsockname, descriptor)?.port
  return {
    portOf,
    peerOf: (descriptor, port) =>
      portOf(descriptor) === port ? ask(getpeername, descriptor) : undefined,
    shutDown: (descriptor) => void shutdown(descriptor, bothWays),
  }
}

/** Reads a Linux `sockaddr`; undefined for a socket that is neither IPv4 nor IPv6. */
function readName(name: Uint8Array): Peer | undefined {
  const view = new DataView(name.buffer)
  const family = view.getUint16(0, true)
  const port = view.getUint16(2)
  if (family === internet4) return { address: name.subarray(4, 8).join('.'), port }
  if (family !== internet6) return undefined
  const isMapped = mappedStart.every((byte, index) => name[8 + index] === byte)
  if (isMapped) return { address: name.subarray(20, 24).join('.'), port }
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + index * 2).toString(16))
  const address = groups.join(':')
  return { address: address === '0:0:0:0:0:0:0:1' ? '::1' : address, port }
}
