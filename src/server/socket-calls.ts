/** Two questions to the system about a descriptor that the runtime does not answer. */
export interface SocketCalls {
  /** Who is at the other end of a connection that came in on this port; undefined for any other descriptor. */
  peerOf(descriptor: number, port: number): Peer | undefined
  /** Ends the connection in both directions; the event loop then closes it as if its peer had. */
  shutDown(descriptor: number): void
}

export interface Peer {
  readonly address: string
  readonly port: number
}

const libraries = ['libc.so.6', 'libc.so', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']
const addressBytes = 128
const internet4 = 2
const internet6 = 10
const bothWays = 2
const mappedStart = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** Undefined where the C library cannot be called. */
export async function openSockets(): Promise<SocketCalls | undefined> {
  const { dlopen, FFIType, ptr } = await import('bun:ffi')
  const named = { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 } as const
  const functions = {
    getpeername: named,
    getsockname: named,
    shutdown: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  } as const
  const open = (library: string) => {
    try {
      return dlopen(library, functions).symbols
    } catch {
      return undefined
    }
  }
  let symbols: ReturnType<typeof open>
  for (const library of libraries) symbols ??= open(library)
  if (!symbols) return undefined
  const { getpeername, getsockname, shutdown } = symbols
  const name = new Uint8Array(addressBytes)
  const length = new Uint32Array(1)
  const ask = (call: typeof getpeername, descriptor: number): Peer | undefined => {
    length[0] = addressBytes
    if (call(descriptor, ptr(name), ptr(length)) !== 0) return undefined
    return readName(name)
  }
  return {
    peerOf: (descriptor, port) =>
      ask(getsockname, descriptor)?.port === port ? ask(getpeername, descriptor) : undefined,
    shutDown: (descriptor) => void shutdown(descriptor, bothWays),
  }
}

/** A `sockaddr` of Linux; undefined when the socket is not one of the Internet. */
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
